// An unstorage instance is a store as it is.

import type { Store } from "contextfold";
import { createStorage } from "unstorage";

export const store: Store = createStorage();

// An unstorage instance is accepted as a store.

import type { Store } from "contextfold";
import { createStorage } from "unstorage";

export const store: Store = createStorage();

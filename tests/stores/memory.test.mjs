// The journal store in memory.

import { memoryJournals } from "../../pkg/stores/memory.js";
import { contract } from "./contract.mjs";

const store = memoryJournals();
contract("memory", () => store);

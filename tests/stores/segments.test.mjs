import { contract } from "./contract.mjs";
import { segmented } from "../../pkg/stores/segments.js";
import { memoryStore } from "../../pkg/stores/memory.js";
const store = memoryStore();
contract("segments in memory", async () => segmented(store));
const { getItemRaw, setItemRaw, compareAndSet, ...texts } = memoryStore();
contract("segments in a store of texts, without compareAndSet", async () => segmented(texts), { bigBytes: 2_000_000 });

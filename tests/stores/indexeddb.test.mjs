import "fake-indexeddb/auto";
import { contract } from "./contract.mjs";
import { indexedDBStore } from "../../pkg/stores/indexeddb.js";
contract("IndexedDB", async () => indexedDBStore("contract"));

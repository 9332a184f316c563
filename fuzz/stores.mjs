// Stores as they occur in practice: with missing methods, and with calls that fail.

import { memoryStore } from "contextfold/stores/memory";
import { tick } from "./clock.mjs";

const METHODS = ["getItem", "setItem", "removeItem", "getItemRaw", "setItemRaw", "compareAndSet"];

/** The methods that each kind of store lacks. */
const WITHOUT = { whole: [], texts: ["getItemRaw", "setItemRaw"], plain: ["compareAndSet"], poor: ["getItemRaw", "setItemRaw", "compareAndSet"] };

export const STORES = Object.keys(WITHOUT);

/** A store whose calls fail on demand. `slow`: every call takes a turn of the event loop. */
export function faulty(kind = "whole", slow = false) {
  const items = memoryStore();
  let fault = { at: 0 };
  let calls = 0;
  const store = {
    /** From call number `at` on, this many calls throw, or return `gives`. Without a number, none fails. */
    fail(at = 0, lasts = 1, gives) {
      [calls, fault] = [0, { at, lasts, gives }];
    },
  };
  for (const method of METHODS.filter((method) => !WITHOUT[kind].includes(method)))
    store[method] = async (...args) => {
      calls++;
      const fails = fault.at > 0 && calls >= fault.at && calls < fault.at + fault.lasts;
      const { gives } = fault;
      if (slow) await tick();
      if (!fails) return items[method](...args);
      if (gives !== undefined) return gives;
      throw new Error("connection refused");
    };
  return store;
}

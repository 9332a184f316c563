// The times at which items were stored. Each item's time is stored as another item, by the clock of the process that stored it,
// because an ordinary store keeps no times.
//
// To remove an item, a process first claims its time, by a swap. So if the item is stored again at that instant, either its time is
// new already, and it is kept, or it is stored after the removal.

import { itemOf, newToken, timeOf } from "./names.js";

/** How long a removal may take, in milliseconds. After that its process is considered dead. */
const REMOVAL_MS = 30_000;
const LOOK_MS = 20;

const told = (letter) => `${letter}${Date.now()}-${newToken()}`;
const isClaim = (text) => text.startsWith("x");
const ageOf = (text) => Date.now() - Number(/^[tx](\d+)-/.exec(text)?.[1] ?? 0);

export function times(items) {
  /** Sets an item's time to now. Called before the item is stored; waits for a removal in progress. */
  async function renew(name) {
    const end = Date.now() + REMOVAL_MS;
    let there = null;
    while (items.swapsAtOnce && Date.now() <= end) {
      if (await items.swap(timeOf(name), there, told("t"))) return;
      there = await items.text(timeOf(name));
      if (there === null || !isClaim(there)) continue;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      there = await items.text(timeOf(name));
      if (there !== null && isClaim(there)) there = ""; // so that the claim is not swapped
    }
    await items.putText(timeOf(name), told("t"));
  }

  async function removeOlder(name, ms) {
    const there = await items.text(timeOf(name));
    if (there === null) {
      // Stored by a version that did not record times: its age counts from now.
      if ((await items.bytes(itemOf(name))) !== null) await items.swap(timeOf(name), null, told("t"));
      return false;
    }
    if (ageOf(there) <= (isClaim(there) ? REMOVAL_MS : ms)) return false;
    if (!(await items.swap(timeOf(name), there, told("x")))) return false;
    await items.remove(itemOf(name));
    await items.remove(timeOf(name));
    return true;
  }

  return { renew, removeOlder, forget: (name) => items.remove(timeOf(name)) };
}

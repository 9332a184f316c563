// Stores the settings and the chosen call in the page's address; never anything of the transcript.

import type { Settings } from "../engine/protocol";
import { PRESETS } from "./settings";

export interface Link {
  settings: Partial<Settings>;
  call?: number;
  /** The settings are for a file of the visitor's own: no sample is opened. */
  own: boolean;
}

/** Reads an address. Invalid values are ignored. */
export function readLink(hash: string): Link {
  const said = new URLSearchParams(hash.replace(/^#/, ""));
  const figure = (name: string, least: number, most: number) => {
    const n = Number(said.get(name) ?? NaN);
    return n >= least && n <= most ? n : undefined;
  };
  const whole = (name: string, least: number, most: number) => {
    const n = figure(name, least, most);
    return n === undefined ? undefined : Math.round(n);
  };
  const preset = PRESETS.find(([name]) => name === said.get("preset"))?.[0];
  const settings: { [K in keyof Settings]?: Settings[K] | undefined } = {
    preset,
    window: whole("window", 500, 10_000_000),
    thresholdRatio: figure("threshold", 0.05, 1),
    retainLastTurns: whole("turns", 0, 1000),
    outputBudget: whole("outputs", 0, 10_000_000),
    priceAs: said.has("price") && /^[\w.:/-]{0,80}$/.test(said.get("price")!) ? said.get("price")! : undefined,
  };
  const known = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as Partial<Settings>;
  const call = whole("call", 1, 10_000_000);
  return { settings: known, ...(call !== undefined && { call: call - 1 }), own: said.has("own") };
}

/** Writes an address. */
export function writeLink({ settings, call, own }: { settings: Settings; call: number; own: boolean }): string {
  const said = new URLSearchParams();
  if (own) said.set("own", "");
  said.set("preset", settings.preset);
  said.set("window", String(settings.window));
  said.set("threshold", String(settings.thresholdRatio));
  said.set("turns", String(settings.retainLastTurns));
  if (settings.outputBudget !== null) said.set("outputs", String(settings.outputBudget));
  said.set("price", settings.priceAs);
  said.set("call", String(call + 1));
  return `#${said}`;
}

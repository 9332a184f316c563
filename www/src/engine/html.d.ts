// Types of the command line's HTML report, which is plain JavaScript.

declare module "*/cli/html.js" {
  import type { Simulation } from "contextfold";
  export function htmlReport(report: { name: string; source: string; simulation: Simulation }): string;
}

// Where else to go: the guides, which are built beside this page, and the source, where package.json says where it is.

declare const __SOURCE__: string;

export const GUIDES = "docs/";
export const SOURCE = __SOURCE__;

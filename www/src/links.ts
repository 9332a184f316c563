// Links to the guides, which are built next to this page, and to the source, if package.json says where it is.

declare const __SOURCE__: string;

export const GUIDES = "docs/";
export const SOURCE = __SOURCE__;

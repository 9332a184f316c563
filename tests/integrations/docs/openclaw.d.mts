export declare const messages: unknown[];

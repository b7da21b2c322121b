/** The page's policy lets only those style elements count that carry this: it changes with every answer. */
export const NONCE = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";

// The package that keeps the page still behind a dialog looks for it here.
Object.assign(globalThis, { __webpack_nonce__: NONCE });

/** The nonce that the page's policy requires of style elements; it changes with every response. */
export const NONCE = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";

// The package that locks scrolling behind a dialog reads it here.
Object.assign(globalThis, { __webpack_nonce__: NONCE });

/**
 * Constant HTML of the Vaadin components for the browser's Trusted Types: the one policy of the
 * page beside Lit's. Only `vaadin-bundle.ts` puts calls of it into code, and never with text that
 * comes from data.
 */

interface Policy {
  createHTML(text: string): string
}

interface Browser {
  trustedTypes?: { createPolicy(name: string, rules: Policy): Policy }
}

const policy = (globalThis as Browser).trustedTypes?.createPolicy('vaadin', {
  createHTML: (text) => text,
})

/** A constant as what `innerHTML` takes; the text itself in a browser without Trusted Types. */
export const trustedHtml = (text: string): string => policy?.createHTML(text) ?? text

/** Gives a document or shadow root these styles, as a sheet that no policy has to allow. */
export function adoptStyles(text: string, root: Document | ShadowRoot): void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(text)
  root.adoptedStyleSheets = [sheet, ...root.adoptedStyleSheets]
}

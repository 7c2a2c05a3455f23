/** Names and texts as SQL writes them; the engine quotes every name that it composes with. */

/** Any identifier. */
export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A text as an SQL literal. */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`

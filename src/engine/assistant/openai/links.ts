/**
 * Links in the text of a model. A client that draws Markdown would load an image, or offer a link,
 * whose address holds what the model read: so no address and no link of the model's own stays.
 */

const REFERENCE = String.raw`\[\[[^\][\n]{1,200}\]\]`
/** An address with the references in it, up to the next blank. */
const ADDRESS = new RegExp(
  String.raw`(?:[a-z][a-z0-9+.-]{0,30}:[*_~\x60]*//|\bwww\.|\b(?:mailto|javascript|vbscript):)` +
    String.raw`(?:${REFERENCE}|\S)*`,
  'giu',
)

/** Writes `instead` in the place of each address of a text. */
export const dropAddresses = (text: string, instead: string): string =>
  text.replace(ADDRESS, instead)

/** Takes the meaning of links and tags from a text, and no letter: `[a](b)` becomes `[a] (b)`. */
export const breakLinks = (text: string): string =>
  text.replace(/\](?=[([:])/g, '] ').replace(/<(?=[a-z/!?])/gi, '< ')

/** True when a value goes on as an address with what is written right behind it. */
export const isAddress = (value: string): boolean => /:\/\/|\bwww\.|\bmailto:/i.test(value)

/** True when a value would become the rest of a link or an address behind a text. */
export const isRestOfLink = (before: string, value: string): boolean =>
  (before.endsWith(']') && /^[([:]/.test(value)) ||
  (/[\p{L}\d]:\/?$/u.test(before) && value.startsWith('/')) ||
  (before.endsWith('<') && /^[a-z/!?]/i.test(value))

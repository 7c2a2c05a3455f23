/** The order of texts as an oracle has it: letters, then accents, then case, each by bytes. */

/** Letters that Unicode does not decompose. */
const SPELLED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  ſ: 's',
}

/** They are passed over, as the sign for Kelvin is. */
const SIGNS = /[\u2000-\u2e7f]/g

/** A text with a letter of another script keeps all that it has. */
const OTHER_SCRIPTS = /[\u0370-\u1dff\u2e80-\u{10ffff}]/u

const toLetters = (text: string): string =>
  text
    .replace(SIGNS, '')
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[ßæœþøđłſ]/g, (letter) => SPELLED[letter] ?? letter)

const compareBytes = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b))

const toSmall = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

const lettersOf = (text: string): string =>
  OTHER_SCRIPTS.test(text) ? toSmall(text) : toLetters(text)

/** For short texts in Latin script. */
export const compareTexts = (a: string, b: string): number =>
  compareBytes(lettersOf(a), lettersOf(b)) ||
  compareBytes(toSmall(a), toSmall(b)) ||
  compareBytes(a, b)

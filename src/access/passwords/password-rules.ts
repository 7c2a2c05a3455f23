/** Rules for new passwords: long, and not among the first guesses. */
import { validation } from '../../kernel/failure.ts'
import { type Message, say } from '../../kernel/messages.ts'
import commonList from './common-passwords.txt' with { type: 'text' }

/**
 * The commonest passwords of published leaks, in lower case: those of ten characters and more, and
 * shorter words that are common once their digits are taken off. From zxcvbn's lists (MIT).
 */
const COMMON = new Set(commonList.split('\n').filter((line) => line !== ''))

const LOOKALIKES: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'l',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
  '@': 'a',
  $: 's',
  '!': 'i',
}

/** Rows that fingers run along, each also backwards and around its end. */
const RUNS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890123456789',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
].flatMap((run) => [run, [...run].reverse().join('')])

export interface PasswordRules {
  /** Characters (code points) that a password needs. */
  lengthMin: number
  /** The user's names and mail addresses, if known; the password may not be one of them. */
  own: readonly (string | null | undefined)[]
}

/** Throws 400 under the name of the member that has the password when it is not good enough. */
export function requireGoodPassword(password: string, rules: PasswordRules, member: string): void {
  const fault = findPasswordFault(password, rules)
  if (fault !== undefined) throw validation({ [member]: fault })
}

/** Finds the fault of a password, as a sentence without it; undefined for a good one. */
export function findPasswordFault(password: string, rules: PasswordRules): Message | undefined {
  const text = password.normalize('NFKC').toLowerCase()
  if ([...text].length < rules.lengthMin)
    return say`A password must have at least ${rules.lengthMin} characters`
  if (isRepeated(text) || RUNS.some((run) => run.includes(text)))
    return say`A password must not be a row of keys or a repetition`
  const stems = planStems(text)
  if (stems.some((stem) => COMMON.has(stem))) return say`This password is too common`
  const own = rules.own
    .flatMap((word) => (word ? [word, word.replace(/@.*/, '')] : []))
    .flatMap((word) => planStems(word.normalize('NFKC').toLowerCase()))
  if (stems.some((stem) => stem !== '' && own.includes(stem)))
    return say`A password must not be made up of the user’s name`
  return undefined
}

/** Returns a text without the usual disguises: `P4ssw0rd2026!` becomes `password`. */
function planStems(text: string): string[] {
  const bare = text.replace(/\s+/g, '')
  const stripped = bare.replace(/^[^\p{L}]+/u, '').replace(/[^\p{L}]+$/u, '')
  return [...new Set([text, bare, stripped, unmask(bare), unmask(stripped), unmaskThenStrip(bare)])]
}

const unmask = (text: string): string =>
  [...text].map((character) => LOOKALIKES[character] ?? character).join('')

/** `p@ssw0rd!!1` ends in lookalikes that are decoration: they go before the rest is read. */
const unmaskThenStrip = (text: string): string =>
  unmask(text.replace(/[\d\p{P}\p{S}]+$/u, '').replace(/^[\d\p{P}\p{S}]+/u, ''))

/** One character, or one group of up to four, over and over: `aaaaaaaaaa`, `abcabcabcabc`. */
function isRepeated(text: string): boolean {
  for (let size = 1; size <= 4; size += 1) {
    const unit = text.slice(0, size)
    if (unit.repeat(Math.ceil(text.length / size)).slice(0, text.length) === text) return true
  }
  return false
}

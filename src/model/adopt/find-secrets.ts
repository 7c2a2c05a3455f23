/**
 * Columns that look like secrets: passwords, tokens, keys of sessions and the like. A sure name is
 * enough; another, such as `key`, needs values that look random. A value that can be nothing else,
 * such as a bcrypt hash, is a secret whatever its column is called.
 */
import type { SourceFile } from '../../store/file/source-file.ts'
import type { AdoptedColumn, AdoptedEntity } from './adopted.ts'
import { splitWords } from './names.ts'
import { toSingular } from './plurals.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { quote } from '../sql/quote.ts'

/** Finds the columns of a table that look like secrets. @throws SourceError */
export async function findSecrets(
  source: SourceFile,
  entity: AdoptedEntity,
): Promise<AdoptedColumn[]> {
  const secrets: AdoptedColumn[] = []
  for (const column of entity.columns.filter(isCandidate)) {
    const guess = judgeName(entity, column)
    const { nulls, empty } = column.profile
    const isFilled = nulls + empty < entity.source.rows
    const values = isFilled ? await sample(source, entity, column) : []
    if (isSecret(guess, values)) secrets.push(column)
  }
  return secrets
}

/** The word of a name on whether its column is a secret; `sounds` needs values to bear it out. */
type Guess = 'sure' | 'likely' | 'sounds' | 'no'

function isSecret(guess: Guess, values: readonly string[]): boolean {
  if (values.length > 0 && share(values, (value) => OWN_FORM.test(value)) >= 0.5) return true
  if (guess === 'sure') return true
  if (guess === 'likely') return values.length === 0 || share(values, isWord) < 0.5
  return guess === 'sounds' && values.length > 0 && isRandom(values)
}

const isCandidate = ({ type, references, options }: AdoptedColumn): boolean => {
  const { isText, structure, key } = FIELD_KINDS[type]
  const isTextual = isText || structure !== undefined || key === 'generated'
  return isTextual && references === undefined && options.length === 0
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Words behind a secret that say how it is kept: `password_hash`, `SecretEncrypted`. */
const FORMS = words('hash hashed encrypted enc crypt crypted md5 sha sha1 sha256 bcrypt digest b64')

const SURE = words(
  'password passwords passwd passwort kennwort pwd passphrase passcode secret secrets salt ' +
    'apikey privatekey totp cvv cvc credential credentials jwt',
)
const LIKELY = words('token tokens sessionkey sessionid sessiontoken otp nonce')

/** Words before a key or a code that say what it opens. */
const OPENING = words(
  'api access auth authentication authorization private secret session encryption decryption ' +
    'signing hmac master license licence activation reset confirmation verification recovery ' +
    'backup ssh pgp gpg aes rsa security shared client webhook storage consumer login remember mfa',
)
const KEPT_BY_PEOPLE = words('user account member login auth credential')
const OF_SIGN_IN = words('session token credential secret apikey otp')
const OWN_OF_SIGN_IN = words('id key code data payload value hash sid')

/** Judges the words of a name from its end: `KeyAccount` is an account, `TokenCount` a count. */
function judgeName({ source }: AdoptedEntity, { profile }: AdoptedColumn): Guess {
  const all = splitWords(profile.column.name).filter((word) => !/^\d+$/.test(word))
  const end = all.findLastIndex((word, at) => at === 0 || !FORMS.has(word))
  const kept = all.slice(0, end + 1)
  const [last = '', before = '', isForm] = [kept.at(-1), kept.at(-2), kept.length < all.length]
  const table = splitWords(source.table.name).map((word) => toSingular(word))
  const isOfPeople = table.some((word) => KEPT_BY_PEOPLE.has(word))
  if (SURE.has(last)) return 'sure'
  if (last === 'pass') return isForm || before !== '' || isOfPeople ? 'sure' : 'no'
  if (LIKELY.has(last)) return 'likely'
  if (['key', 'keys', 'code', 'codes'].includes(last) && OPENING.has(before)) return 'likely'
  if (before === 'session' && ['id', 'data'].includes(last)) return 'sounds'
  if (last === 'session' || (last === 'hash' && isOfPeople)) return 'sounds'
  if (last === 'key' && isOfPeople) return 'sounds'
  const isOfSignIn = table.some((word) => OF_SIGN_IN.has(word)) || isApiKey(table)
  return isOfSignIn && OWN_OF_SIGN_IN.has(last) ? 'sounds' : 'no'
}

const isApiKey = (table: readonly string[]): boolean =>
  table.includes('api') && table.includes('key')

/** Forms that only secrets have: hashes of passwords, private keys, tokens of known services. */
const OWN_FORM = new RegExp(
  '^(?:\\$(?:2[abxy]?|argon2(?:id?|d)|[156yPH])\\$|' +
    '(?:pbkdf2|argon2|bcrypt|scrypt|sha1|sha256|md5)[\\w:]*\\$|\\{(?:S?SHA|CRYPT|BCRYPT|ARGON2)|' +
    '-----BEGIN [A-Z ]*PRIVATE KEY|eyJ[\\w-]+\\.eyJ[\\w-]+\\.|[sr]k_(?:live|test)_|' +
    'gh[pousr]_\\w{30}|AKIA[0-9A-Z]{16}$|xox[abp]-)',
)

const RANDOM_LENGTH_MIN = 16
const RANDOM_LETTERS_MIN = 8

/** True for texts that nobody made up: long, without blanks, of many characters, each another. */
function isRandom(values: readonly string[]): boolean {
  const isMade = (value: string): boolean =>
    value.length >= RANDOM_LENGTH_MIN &&
    /^[\w+/=.:~-]+$/.test(value) &&
    !/^\/|:\/\//.test(value) &&
    /\d/.test(value) &&
    /[a-z]/i.test(value) &&
    new Set(value).size >= RANDOM_LETTERS_MIN
  return share(values, isMade) >= 0.9 && new Set(values).size >= values.length * 0.9
}

/** True for a word or a short code that people write. */
const isWord = (value: string): boolean => value.length < 8 || /\s/.test(value)

const share = <T>(values: readonly T[], test: (value: T) => boolean): number =>
  values.filter(test).length / values.length

const SAMPLE_ROWS = 100
const SAMPLE_BYTES = 200

/** Reads the beginnings of some values, as bytes, since a text may be none. */
async function sample(
  source: SourceFile,
  { source: { table } }: AdoptedEntity,
  { profile }: AdoptedColumn,
): Promise<string[]> {
  const name = quote(profile.column.name)
  const rows = await source.all(
    `SELECT substr(CAST(${name} AS BLOB), 1, ${SAMPLE_BYTES}) AS value
     FROM main.${quote(table.name)} NOT INDEXED
     WHERE octet_length(${name}) > 0 LIMIT ${SAMPLE_ROWS}`,
  )
  return rows.map(({ value }) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value),
  )
}

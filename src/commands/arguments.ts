/** The words of a command line, read by what the command declares. */
import { findNearest } from '../model/names.ts'

/**
 * A flag of a command. `switch` has no value; `text` takes a value; `list` takes one each time;
 * `number` may have one, a whole number: `--client`, `--client 8090`.
 */
export interface Flag {
  kind: 'switch' | 'text' | 'list' | 'number'
  /** The placeholder of the value in the help. */
  value?: string
  meaning: string
  /** The command cannot do without it. */
  isRequired?: true
}

/**
 * The arguments of a command: the names of its words in order (`NAME`, or `[NAME]` for one that may
 * be left out), and its flags.
 */
export interface CommandShape {
  name: string
  words: readonly string[]
  flags: Readonly<Record<string, Flag>>
}

/** How a command is called: `company create CODE --name NAME`. */
export const formatUsage = ({ name, words, flags }: CommandShape): string =>
  [name, ...words, ...Object.entries(flags).flatMap(formatRequired)].join(' ')

const formatRequired = ([name, { isRequired, value }]: [string, Flag]): string[] =>
  isRequired ? [`--${name} ${value ?? 'VALUE'}`] : []

/** Flags that every command takes. */
export const COMMON_FLAGS: Readonly<Record<string, Flag>> = {
  data: { kind: 'text', value: 'DIR', meaning: 'The data folder (./data/local)' },
  json: { kind: 'switch', meaning: 'Prints results as JSON' },
}

const DEFAULT_DATA_FOLDER = './data/local'
const SETTING_FLAG = /^--((?:Svc|App):[^=]+)(?:=(.*))?$/is
const FLAG = /^--([a-z][a-z-]*)(?:=(.*))?$/s

/** The command line has a word or flag that does not belong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A command line that has been read. */
export class Arguments {
  /** The command's words, as many as it declares. */
  readonly words: readonly string[]
  /** Settings given as flags, by name. */
  readonly settings: Readonly<Record<string, string>>
  readonly #values: ReadonlyMap<string, readonly string[]>

  constructor(
    words: readonly string[],
    settings: Readonly<Record<string, string>>,
    values: ReadonlyMap<string, readonly string[]>,
  ) {
    this.words = words
    this.settings = settings
    this.#values = values
  }

  /** The same with another setting, as a flag would give it. */
  withSetting(name: string, value: string): Arguments {
    return new Arguments(this.words, { ...this.settings, [name]: value }, this.#values)
  }

  /** A word by its place; the command declared it, so it is there. */
  word(at: number): string {
    const word = this.words[at]
    if (word === undefined) throw new UsageError('An argument is missing')
    return word
  }

  /** The value of a text flag. */
  find(flag: string): string | undefined {
    return this.#values.get(flag)?.at(-1)
  }

  /** The value of a text flag that the command cannot do without. */
  require(flag: string): string {
    const value = this.find(flag)
    if (value === undefined) throw new UsageError(`--${flag} is missing`)
    return value
  }

  has(flag: string): boolean {
    return this.#values.has(flag)
  }

  list(flag: string): readonly string[] {
    return this.#values.get(flag) ?? []
  }

  get dataFolder(): string {
    return this.find('data') ?? DEFAULT_DATA_FOLDER
  }

  get json(): boolean {
    return this.has('json')
  }
}

/** Reads what follows a command's name. Throws a `UsageError` that names what does not belong. */
export function parseArguments(shape: CommandShape, argv: readonly string[]): Arguments {
  const words: string[] = []
  const settings: Record<string, string> = {}
  const values = new Map<string, string[]>()
  const rest = [...argv]
  const takeNumber = (inline: string | undefined): string[] =>
    inline !== undefined ? [inline] : /^\d+$/.test(rest[0] ?? '') ? rest.splice(0, 1) : []
  const take = (name: string, inline: string | undefined): string => {
    const value = inline ?? rest.shift()
    if (value === undefined) throw new UsageError(`${name} needs a value`)
    return value
  }
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, setting, settingValue] = SETTING_FLAG.exec(word) ?? []
    if (setting !== undefined) settings[setting] = take(word, settingValue)
    else if (word.startsWith('-') && word !== '-')
      readFlag(shape, word, values, { take, takeNumber })
    else words.push(word)
  }
  requireWords(shape, words)
  requireFlags(shape, values)
  return new Arguments(words, settings, values)
}

/** Values of flags, out of what follows them: one that must be there, and one that may. */
interface Takers {
  take(name: string, inline: string | undefined): string
  takeNumber(inline: string | undefined): string[]
}

function readFlag(
  shape: CommandShape,
  word: string,
  values: Map<string, string[]>,
  { take, takeNumber }: Takers,
): void {
  const [, name, inline] = FLAG.exec(word) ?? []
  const flags = { ...shape.flags, ...COMMON_FLAGS }
  const flag = name !== undefined && Object.hasOwn(flags, name) ? flags[name] : undefined
  if (name === undefined || !flag) throw unknownFlag(shape, flags, word)
  const before = values.get(name) ?? []
  if (flag.kind === 'switch') {
    if (inline !== undefined) throw new UsageError(`--${name} takes no value`)
    values.set(name, before)
    return
  }
  if (flag.kind === 'number') {
    values.set(name, takeNumber(inline))
    return
  }
  if (flag.kind === 'text' && before.length > 0) throw new UsageError(`--${name} is given twice`)
  values.set(name, [...before, take(`--${name}`, inline)])
}

function unknownFlag(
  shape: CommandShape,
  flags: Readonly<Record<string, Flag>>,
  word: string,
): UsageError {
  const name = word.replace(/^-+/, '').replace(/=.*$/s, '')
  const near = findNearest(name, Object.keys(flags))
  const hint = near === undefined ? '' : `; did you mean --${near}?`
  return new UsageError(`"appengine ${shape.name}" has no flag ${word.replace(/=.*$/s, '')}${hint}`)
}

const missingIn = (shape: CommandShape, name: string): UsageError =>
  new UsageError(`${name} is missing. Usage: appengine ${formatUsage(shape)}`)

function requireFlags(shape: CommandShape, values: ReadonlyMap<string, unknown>): void {
  for (const [name, { isRequired }] of Object.entries(shape.flags))
    if (isRequired && !values.has(name)) throw missingIn(shape, `--${name}`)
}

function requireWords(shape: CommandShape, words: readonly string[]): void {
  const missing = shape.words[words.length]
  if (missing !== undefined && !missing.startsWith('[')) throw missingIn(shape, missing)
  const extra = words[shape.words.length]
  if (extra !== undefined)
    throw new UsageError(`"appengine ${shape.name}" takes no argument ${extra}`)
}

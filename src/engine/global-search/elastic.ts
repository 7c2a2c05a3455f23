/**
 * Elasticsearch or OpenSearch by REST. It has the words of the index and gives keys of records,
 * best first; the engine judges which of them a caller sees, as for any candidate.
 */
import { createHash } from 'node:crypto'
import { choice, duration, MINUTE, SECOND, text } from '../../kernel/setting.ts'
import type { Settings } from '../../kernel/settings.ts'
import { codeOf, PLACES } from './text-index/entries.ts'
import type { FedEntry } from './text-index/feed.ts'
import type { Term } from './text-index/match.ts'

export const SEARCH_PROVIDER = {
  provider: choice(
    'Svc:Search:Provider',
    'What finds records: `sql`, or `elastic` for Elasticsearch and OpenSearch',
    ['sql', 'elastic'],
    'sql',
  ),
  url: text('Svc:Search:Url', 'Address of Elasticsearch or OpenSearch', '', {
    pattern: /^https?:\/\/[^\s?#]+$/,
    expected: 'an http or https address',
  }),
  user: text('Svc:Search:User', 'User name at Elasticsearch or OpenSearch', ''),
  password: {
    ...text('Svc:Search:Password', 'Password at Elasticsearch or OpenSearch', ''),
    isSecret: true,
  },
  prefix: text('Svc:Search:IndexPrefix', 'Begins the name of the index there', 'appengine-', {
    pattern: /^[a-z][a-z0-9_-]{0,80}$/,
    expected: 'small letters, digits, - and _',
  }),
  timeout: duration(
    'Svc:Search:Timeout',
    'How long a search waits for Elasticsearch or OpenSearch before it is made by SQL',
    SECOND,
    [10, MINUTE],
  ),
}

/** Bytes of an answer; more is a failure. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024
/** Most time of a request of the background. */
const BULK_TIMEOUT_MS = 30 * SECOND
/** Time after a failure in which searches are made by SQL. */
const REST_MS = 10 * SECOND

/** A failure of the other engine to answer. */
export class ElasticFailure extends Error {}

interface BulkAnswer {
  errors: boolean
  items: Record<string, { status: number; error?: unknown }>[]
}

/** One index of one server. */
export class Elastic {
  readonly #url: string
  readonly #headers: Record<string, string>
  readonly #timeoutMs: number
  #restUntil = 0

  /** The server that the settings name; undefined where searches are made by SQL. */
  static open(settings: Settings): Elastic | undefined {
    const isOn = settings.get(SEARCH_PROVIDER.provider) === 'elastic'
    return isOn && settings.get(SEARCH_PROVIDER.url) !== '' ? new Elastic(settings) : undefined
  }

  private constructor(settings: Settings) {
    const base = settings.get(SEARCH_PROVIDER.url).replace(/\/+$/, '')
    this.#url = `${base}/${settings.get(SEARCH_PROVIDER.prefix)}records`
    this.#timeoutMs = settings.get(SEARCH_PROVIDER.timeout)
    const [user, password] = [
      settings.get(SEARCH_PROVIDER.user),
      settings.get(SEARCH_PROVIDER.password),
    ]
    const basic = Buffer.from(`${user}:${password}`).toString('base64')
    this.#headers = user === '' ? {} : { Authorization: `Basic ${basic}` }
  }

  /** The address that tells this index from another one. */
  get address(): string {
    return this.#url
  }

  /** True when the index may be asked now: after a failure it has a rest. */
  get isOpen(): boolean {
    return performance.now() >= this.#restUntil
  }

  /**
   * Keys of records of a scope that have the terms, as they were typed, in one of the places, best
   * first, as JSON.
   * @throws ElasticFailure
   */
  async find(
    { terms, scope, places }: { terms: readonly Term[]; scope: number; places: number[] },
    limit: number,
  ): Promise<string[]> {
    const fields = places.map((place) => `c${place}`)
    const phrases = terms.flatMap(([typed]) => (typed ? [typed.phrase] : []))
    const must = phrases.map((words) => ({
      multi_match: { query: words.join(' '), type: 'phrase_prefix', fields, max_expansions: 1000 },
    }))
    const filter = [{ term: { scope: codeOf(scope) } }]
    const query = { size: limit, _source: ['key'], query: { bool: { must, filter } } }
    try {
      const answer = await this.#ask('POST', '/_search', JSON.stringify(query), this.#timeoutMs)
      return readKeys(answer)
    } catch (error) {
      this.#restUntil = performance.now() + REST_MS
      throw error
    }
  }

  /** Removes the index, if there is one. @throws ElasticFailure */
  async remove(): Promise<void> {
    await this.#ask('DELETE', '', '', BULK_TIMEOUT_MS, [404])
  }

  /** Makes the index where it is not there. @throws ElasticFailure */
  async prepare(): Promise<void> {
    const words = Object.fromEntries(
      Array.from({ length: PLACES }, (_, at) => [
        `c${at}`,
        { type: 'text', analyzer: 'whitespace' },
      ]),
    )
    const properties = {
      scope: { type: 'keyword' },
      key: { type: 'keyword', index: false, doc_values: false },
      ...words,
    }
    const body = JSON.stringify({ mappings: { dynamic: false, properties } })
    await this.#ask('PUT', '', body, BULK_TIMEOUT_MS, [400])
  }

  /**
   * Sends entries to the index; gives those not to be sent again: it has them, or never will.
   * @throws ElasticFailure
   */
  async save(entries: readonly FedEntry[]): Promise<number[]> {
    const lines = entries.flatMap(({ scope, key, words }) => {
      const _id = createHash('sha256').update(`${scope} ${key}`).digest('hex')
      if (words === undefined) return [{ delete: { _id } }]
      const code = codeOf(scope)
      const texts = words.map((text, at) => [`c${at}`, withoutCode(text)])
      return [{ index: { _id } }, { scope: code, key, ...Object.fromEntries(texts) }]
    })
    const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    const answer = (await this.#ask('POST', '/_bulk', body, BULK_TIMEOUT_MS)) as BulkAnswer
    if (!Array.isArray(answer.items) || answer.items.length !== entries.length)
      throw new ElasticFailure('The answer to a bulk request is not one')
    return entries.flatMap(({ id }, at) => {
      const [item] = Object.values(answer.items[at] ?? {})
      const mayCome = item === undefined || item.status === 429 || item.status >= 500
      return mayCome ? [] : [id]
    })
  }

  async #ask(
    method: string,
    path: string,
    body: string,
    timeoutMs: number,
    alsoFine: readonly number[] = [],
  ): Promise<unknown> {
    const type = path === '/_bulk' ? 'application/x-ndjson' : 'application/json'
    try {
      const answer = await fetch(this.#url + path, {
        method,
        body,
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
        headers: { ...this.#headers, 'Content-Type': type },
      })
      const read = await readBounded(answer)
      if (!answer.ok && !alsoFine.includes(answer.status))
        throw new ElasticFailure(`It answered ${answer.status}: ${read.slice(0, 500)}`)
      return JSON.parse(read)
    } catch (error) {
      if (error instanceof ElasticFailure) throw error
      throw new ElasticFailure(`It gave no answer: ${String(error)}`, { cause: error })
    }
  }
}

/** Words without the code of their scope, which is another field there. */
const withoutCode = (words: string | null): string | null =>
  words === null ? null : words.replace(/(^| )[0-9a-z]{4}/g, '$1')

/** Whatever it sends, no more than the bound is read of it. */
async function readBounded(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > ANSWER_BYTES_MAX) throw new ElasticFailure('Its answer is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Keys are taken from its answer where they are arrays of plain values, and from nowhere else. */
function readKeys(answer: unknown): string[] {
  const hits = (answer as { hits?: { hits?: { _source?: { key?: unknown } }[] } }).hits?.hits
  if (!Array.isArray(hits)) throw new ElasticFailure('Its answer has no hits')
  return hits.flatMap(({ _source }) => {
    const key = _source?.key
    return typeof key === 'string' && isKey(key) ? [key] : []
  })
}

function isKey(text: string): boolean {
  try {
    const key: unknown = JSON.parse(text)
    return Array.isArray(key) && key.every((part) => part === null || typeof part !== 'object')
  } catch {
    return false
  }
}

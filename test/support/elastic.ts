/** As much of Elasticsearch as the engine speaks to, held to its protocol, and its failures. */

/** A document as it is kept. */
export type ElasticDocument = Readonly<Record<string, unknown>>

/** The reaction to the next requests. */
export type ElasticMode = 'good' | 'leaky' | 'error' | 'hangs' | 'huge' | 'garbage' | 'busy'

interface MultiMatch {
  multi_match: { query: string; type: 'phrase_prefix'; fields: string[] }
}
interface SearchBody {
  size: number
  query: { bool: { must: MultiMatch[]; filter: { term: { scope: string } }[] } }
}

const json = (body: unknown, status = 200): Response => Response.json(body, { status })

/** A server on a port of its own. */
export class ElasticStub implements AsyncDisposable {
  readonly documents = new Map<string, ElasticDocument>()
  readonly searches: SearchBody[] = []
  readonly authorizations = new Set<string | null>()
  mode: ElasticMode = 'good'
  /** Bytes that were taken of answers without end. */
  sent = 0
  #isThere = false
  readonly #server = Bun.serve({
    port: 0,
    idleTimeout: 0,
    fetch: (request) => this.#answer(request),
  })

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true)
  }

  async #answer(request: Request): Promise<Response> {
    this.authorizations.add(request.headers.get('Authorization'))
    const text = await request.text()
    if (this.mode === 'error') return json({ error: 'broken' }, 500)
    if (this.mode === 'hangs') return new Promise<Response>(() => {})
    if (this.mode === 'huge') return this.#answerHuge()
    if (this.mode === 'garbage') return new Response('<html>', { status: 200 })
    const { pathname } = new URL(request.url)
    const [, index = '', action] = pathname.split('/')
    if (index !== 'test-records') return json({ error: 'no such index' }, 404)
    if (request.method === 'PUT' && action === undefined) return this.#create()
    if (request.method === 'DELETE' && action === undefined) return this.#remove()
    if (!this.#isThere) return json({ error: { type: 'index_not_found_exception' } }, 404)
    if (action === '_bulk') return this.#save(request, text)
    if (action === '_search') return this.#search(JSON.parse(text) as SearchBody)
    return json({ error: 'no such action' }, 405)
  }

  #remove(): Response {
    if (!this.#isThere) return json({ error: { type: 'index_not_found_exception' } }, 404)
    this.#isThere = false
    this.documents.clear()
    return json({ acknowledged: true })
  }

  #create(): Response {
    if (this.#isThere) return json({ error: { type: 'resource_already_exists_exception' } }, 400)
    this.#isThere = true
    return json({ acknowledged: true })
  }

  /** A gigabyte, a piece at a time. */
  #answerHuge(): Response {
    const piece = new Uint8Array(1024 * 1024).fill(0x20)
    const body = new ReadableStream({
      pull: (controller) => {
        this.sent += piece.length
        if (this.sent > 1024 * piece.length) controller.close()
        else controller.enqueue(piece)
      },
    })
    return new Response(body, { headers: { 'Content-Type': 'application/json' } })
  }

  #save(request: Request, text: string): Response {
    const type = request.headers.get('Content-Type')
    if (type !== 'application/x-ndjson') return json({ error: `not ${type}` }, 406)
    if (!text.endsWith('\n')) return json({ error: 'ends without a line' }, 400)
    const lines = text.trimEnd().split('\n')
    const items: object[] = []
    for (let at = 0; at < lines.length; at++) {
      const action = JSON.parse(lines[at] ?? '') as Record<string, { _id: string }>
      const [name = '', { _id } = { _id: '' }] = Object.entries(action)[0] ?? []
      const document = name === 'index' ? (JSON.parse(lines[++at] ?? '') as object) : undefined
      if (this.mode === 'busy' && items.length % 2 === 1) {
        items.push({ [name]: { _id, status: 429, error: { type: 'es_rejected_execution' } } })
        continue
      }
      const status = document ? 201 : this.documents.has(_id) ? 200 : 404
      if (document) this.documents.set(_id, document as ElasticDocument)
      else this.documents.delete(_id)
      items.push({ [name]: { _id, status } })
    }
    return json({ took: 1, errors: this.mode === 'busy', items })
  }

  #search(body: SearchBody): Response {
    this.searches.push(body)
    const { must, filter } = body.query.bool
    const found = [...this.documents.values()].filter(
      (document) =>
        this.mode === 'leaky' ||
        (filter.every(({ term }) => document.scope === term.scope) &&
          must.every(({ multi_match: { query, fields } }) =>
            fields.some((field) => hasPhrase(document[field], query.split(' '))),
          )),
    )
    const hits = found.slice(0, body.size).map(({ key }) => ({ _score: 1, _source: { key } }))
    return json({ took: 1, hits: { total: { value: found.length }, hits } })
  }
}

function hasPhrase(text: unknown, phrase: readonly string[]): boolean {
  const words = typeof text === 'string' ? text.split(' ') : []
  const last = phrase.length - 1
  return words.some((_, at) =>
    phrase.every((wanted, offset) =>
      offset === last
        ? words[at + offset]?.startsWith(wanted) === true
        : words[at + offset] === wanted,
    ),
  )
}

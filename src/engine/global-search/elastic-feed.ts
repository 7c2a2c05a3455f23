/** The background that tells Elasticsearch or OpenSearch of changed records, until it has them. */
import { Loop } from '../../kernel/background.ts'
import type { Log } from '../../kernel/log.ts'
import { type Store, systemScope } from '../../store/store.ts'
import type { Elastic } from './elastic.ts'
import { endFed, findFed, loadFed, setFed } from './text-index/feed.ts'

/** Records of one request. */
const ROWS = 500
const EVERY_MS = 1000
const STOP_MS = 5000

const SCOPE = systemScope('records of every company are searched')

/** Feeds one index; without one it takes care that nothing is noted for it. */
export class ElasticFeed {
  readonly #store: Store
  readonly #elastic: Elastic | undefined
  #isPrepared = false
  readonly loop: Loop

  constructor({ store, log }: { store: Store; log: Log }, elastic: Elastic | undefined) {
    this.#store = store
    this.#elastic = elastic
    this.loop = new Loop({
      name: 'search-feed',
      log,
      stopMs: STOP_MS,
      steps: [() => this.run()],
      ...(elastic && { everyMs: EVERY_MS }),
      failure: 'changed records wait to be told to the search engine',
    })
  }

  /** Sends the noted entries; those that fail are sent at the next run. @throws ElasticFailure */
  async run(): Promise<void> {
    const [store, elastic] = [this.#store, this.#elastic]
    if (!this.#isPrepared) {
      // What an index has that was fed by nobody, or by a folder before its restore, is unknown.
      if (elastic && (await findFed(store)) !== elastic.address) await elastic.remove()
      await store.write((tx) => setFed(tx, elastic?.address), SCOPE)
      await elastic?.prepare()
      this.#isPrepared = true
    }
    while (elastic && !this.loop.isStopping) {
      const entries = await loadFed(store, ROWS)
      const done = entries.length > 0 ? await elastic.save(entries) : []
      if (done.length > 0) await store.write((tx) => endFed(tx, done), SCOPE)
      if (done.length < ROWS) return
    }
  }
}

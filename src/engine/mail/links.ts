/** Addresses in mails. */

const FIRST_ADDRESS = 'http://127.0.0.1:8080'

/** Hosts that mean every address of the machine, which no browser can open. */
const EVERY_ADDRESS = /^(https?):\/\/(?:0\.0\.0\.0|\[::\])(?=:)/

/**
 * Makes links from the configured base address, else from the address where the server listens:
 * never from the host that a request names, which its sender chooses.
 */
export class Links {
  #base: string
  readonly #isConfigured: boolean

  /**
   * `configured`: `Svc:Mail:BaseUrl`, '' where it is not set. `basePath`: the path before all
   * addresses (`Svc:Http:BasePath`), unless the configured one ends with it already.
   */
  constructor(configured: string, basePath = '') {
    this.#isConfigured = configured !== ''
    const base = (this.#isConfigured ? configured : FIRST_ADDRESS).replace(/\/+$/, '')
    this.#base = base.endsWith(basePath) ? base : base + basePath
  }

  /** Sets the address once the server listens: `http://127.0.0.1:8080`, with its base path. */
  listenOn(address: string): void {
    if (!this.#isConfigured) this.#base = address.replace(EVERY_ADDRESS, '$1://127.0.0.1')
  }

  /** An address below the base. */
  to(path: string, query: Readonly<Record<string, string>> = {}): string {
    const text = new URLSearchParams(query).toString()
    return `${this.#base}${path}${text === '' ? '' : `?${text}`}`
  }
}

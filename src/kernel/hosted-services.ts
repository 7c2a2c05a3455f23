/** Background services beside the requests, by names that operators use. */
import type { Background } from './background.ts'

/** Names of services as addresses have them: `recurring-jobs`. */
const toServiceName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

/** Starts, stops and restarts services, each step of one after the other. */
export class HostedServices {
  readonly #all = new Map<string, Background>()
  readonly #changing = new Map<string, Promise<void>>()

  add(service: Background, name = toServiceName(service.name)): void {
    this.#all.set(name, service)
  }

  /** Takes a service off the list; the caller stops it. */
  remove(service: Background): void {
    for (const [name, each] of this.#all) if (each === service) this.#all.delete(name)
  }

  /** All, by name. */
  list(): readonly (readonly [name: string, service: Background])[] {
    return [...this.#all].sort(([a], [b]) => (a < b ? -1 : 1))
  }

  find(name: string): Background | undefined {
    return this.#all.get(name)
  }

  /** Starts a service; does nothing to a running one. */
  start(name: string): Promise<void> {
    return this.#change(name, async (service) => {
      if (service.state === 'stopped') await service.start()
    })
  }

  /** Resolves when what ran has ended; does nothing to one that is stopped. */
  stop(name: string): Promise<void> {
    return this.#change(name, async (service) => {
      if (service.state !== 'stopped') await service.stop()
    })
  }

  restart(name: string): Promise<void> {
    return this.#change(name, async (service) => {
      if (service.state !== 'stopped') await service.stop()
      await service.start()
    })
  }

  #change(name: string, work: (service: Background) => Promise<void>): Promise<void> {
    const service = this.#all.get(name)
    if (!service) return Promise.resolve()
    const before = this.#changing.get(name) ?? Promise.resolve()
    const changed = before.catch(() => {}).then(() => work(service))
    this.#changing.set(name, changed)
    return changed
  }
}

/** A disk of a few megabytes, to be filled and freed under a server. */
import { closeSync, cpSync, mkdirSync, openSync, rmSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../../data/demo/random.ts'

const DISK_MIB = 24

/** A small disk in memory, mounted where this process and its children alone see it. */
export class SmallDisk {
  readonly path: string
  readonly #holder: Bun.Subprocess

  private constructor(path: string, holder: Bun.Subprocess) {
    this.path = path
    this.#holder = holder
  }

  /** Undefined where the system does not allow it. */
  static async mount(path: string, mib = DISK_MIB): Promise<SmallDisk | undefined> {
    if (!Bun.which('unshare') || !Bun.which('nsenter')) return undefined
    mkdirSync(path)
    const mount = `mount -t tmpfs -o size=${mib}m none '${path}'`
    const holder = Bun.spawn(
      ['unshare', '-m', 'sh', '-c', `${mount} && echo mounted && exec sleep 3600`],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    )
    const { value } = await holder.stdout.getReader().read()
    return value === undefined ? undefined : new SmallDisk(path, holder)
  }

  /** The words before a command that let it see the disk. */
  get command(): string[] {
    return ['nsenter', '-t', String(this.#holder.pid), '-m']
  }

  /** Copies a folder of the disk to where SQLite finds it: it follows no path through /proc. */
  copy(name: string, to: string): string {
    rmSync(to, { recursive: true, force: true })
    cpSync(join(this.#seenAs, name), to, { recursive: true })
    return to
  }

  /** Leaves no byte free, or a few pages. */
  fill(random: Random): void {
    const ballast = openSync(this.#ballast, 'w')
    const page = new Uint8Array(4096)
    let bytes = 0
    try {
      for (;;) bytes += writeSync(ballast, page)
    } catch {
      closeSync(ballast)
    }
    truncateSync(this.#ballast, Math.max(0, bytes - 4096 * random.int(0, 20)))
  }

  free(): void {
    rmSync(this.#ballast)
  }

  end(): void {
    this.#holder.kill('SIGKILL')
  }

  get #seenAs(): string {
    return `/proc/${this.#holder.pid}/root${this.path}`
  }

  get #ballast(): string {
    return join(this.#seenAs, 'ballast')
  }
}

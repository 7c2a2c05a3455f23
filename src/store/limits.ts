/** Limits of SQL: times in milliseconds, memory in bytes. */
export interface StoreLimits {
  /** `Svc:Sql:Timeout`: a read. */
  readTimeoutMs: number
  /** `Svc:Sql:WriteTimeout`: an authored statement on the writer. */
  writeTimeoutMs: number
  /** `Svc:Writer:MaxWait`: a mutation waiting for its turn. */
  writerMaxWaitMs: number
}

const MB = 1024 * 1024

/**
 * `Svc:Sql:MaxMemory`, in bytes: how much the process may grow while one statement runs. SQLite has
 * no bound for one statement that the package lets through; the process has one memory.
 */
let bytesMax = 512 * MB

/** Sets how much the process may grow while one statement runs. */
export function limitMemory(bytes: number): void {
  bytesMax = bytes
}

/** Bytes that the process may grow while one statement runs. */
export const memoryLimit = (): number => bytesMax

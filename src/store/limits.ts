/** The times that SQL may take, in milliseconds. */
export interface StoreLimits {
  /** `Svc:Sql:Timeout`: a read. */
  readTimeoutMs: number
  /** `Svc:Sql:WriteTimeout`: an authored statement on the writer. */
  writeTimeoutMs: number
  /** `Svc:Writer:MaxWait`: a mutation waiting for its turn. */
  writerMaxWaitMs: number
}

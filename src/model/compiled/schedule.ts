/** Schedules of procedures and reports. */

/**
 * Handling of runs that were missed while the server was down: Relaxed makes them one, at once;
 * Strict makes each; Ignorable makes none.
 */
export type MissedRuns = 'Relaxed' | 'Strict' | 'Ignorable'

/** A `Schedule`. */
export interface Schedule {
  /** Minute, hour, day of the month, month, day of the week. */
  cron: string
  /** IANA name; undefined: the company's with `perCompany`, else that of `Svc:Jobs:TimeZone`. */
  timeZone: string | undefined
  /** True when it runs in each open company in turn; else once, over all of them. */
  perCompany: boolean
  missed: MissedRuns
  arguments: Readonly<Record<string, string | number | null>>
  /** The role to which a report's file is mailed. */
  to: string | undefined
}

/** The history of a job, as its row keeps it. */

/** Entries of a history; beyond them the oldest but the first one go. */
const ENTRIES_MAX = 50

/** SQL of a job's History with one entry more: a state, at `@at`, and a reason if there is one. */
export const addHistory = (state: string, reason = 'NULL'): string =>
  `json_insert(CASE WHEN json_array_length(History) >= ${ENTRIES_MAX}
     THEN json_remove(History, '$[1]') ELSE History END, '$[#]',
   json_patch(json_object('State', ${state}, 'At', @at), json_object('Reason', ${reason})))`

/** An entry of a history. */
export interface JobHistoryEntry {
  State: string
  /** UTC. */
  At: string
  Reason?: string
}

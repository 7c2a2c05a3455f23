/** The history and the log of a job, as its row keeps them. */
import { renderStored } from '../../kernel/stored-messages.ts'

/** Entries of a history; beyond them the oldest but the first one go. */
const ENTRIES_MAX = 50

/** SQL of a job's History with one entry more: a state, at `@at`, and a reason if there is one. */
export const addHistory = (state: string, reason = 'NULL'): string =>
  `json_insert(CASE WHEN json_array_length(History) >= ${ENTRIES_MAX}
     THEN json_remove(History, '$[1]') ELSE History END, '$[#]',
   json_patch(json_object('State', ${state}, 'At', @at), json_object('Reason', ${reason})))`

/** An entry of a history. */
interface JobHistoryEntry {
  State: string
  /** UTC. */
  At: string
  Reason?: string
}

/** Reads a stored history, its reasons in a language. */
export const renderHistory = (history: string, language: string): JobHistoryEntry[] =>
  (JSON.parse(history) as JobHistoryEntry[]).map(({ Reason, ...entry }) =>
    Reason === undefined ? entry : { ...entry, Reason: renderStored(Reason, language) },
  )

/** Reads the lines of a stored log, each an instant and a text, in a language. */
export const renderLog = (log: string, language: string): string[] =>
  log.split('\n').map((line) => {
    const at = line.indexOf(' ') + 1
    return line.slice(0, at) + renderStored(line.slice(at), language)
  })

/** Drafts of documents that a deploy takes out of the model: they go with them. */
import type { Script } from '../compiled/script.ts'
import type { Probe } from '../migrate/probe.ts'
import { quoteText } from '../sql/quote.ts'

/** Plans a question for each removed report and workflow. Pure. */
export const probeLostDrafts = (removed: readonly Script[]): Probe[] =>
  removed
    .filter(({ type }) => type === 'Report' || type === 'Workflow')
    .map(({ type, name }) => ({
      kind: 'loss',
      isLasting: true,
      place: undefined,
      sql:
        `SELECT count(*) AS n FROM svc_drafts WHERE DocumentId IN (
         SELECT coalesce(DocumentId, Id) FROM svc_scripts WHERE IsCurrent = 1 ` +
        `AND Type = ${quoteText(type)} AND Name = ${quoteText(name)})`,
      describe: () => `${type} ${name} is removed: its draft`,
    }))

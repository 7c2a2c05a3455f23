/**
 * The order in which a submit runs, for the reference. A test breaks a record at every step and
 * sees the refusals come in this order.
 */

interface MutationStep {
  name: string
  /** The step as a sentence for authors. */
  text: string
}

/** From the request to what follows the commit. */
export const MUTATION_ORDER = [
  {
    name: 'Gate',
    text:
      'The caller holds Create or Update on the resource of the view; nothing else of the ' +
      'request was looked at (401).',
  },
  {
    name: 'Record',
    text:
      'A stored record is found by its key within the company and the row filters of the ' +
      'caller; one that they do not see is not there (404).',
  },
  {
    name: 'Changes',
    text:
      'Parameters become values of their types. What is no field, or none that the caller ' +
      'may write, is dropped and named in Ignored.',
  },
  {
    name: 'Stamp',
    text: 'The RowVersion of the request is the stored one (409).',
  },
  {
    name: 'Permit',
    text: 'The Permit of Update holds for the stored record (400).',
  },
  {
    name: 'Fields',
    text:
      'A new record takes its Defaults. Then every rule of a field is held: type, ' +
      'Required, MaxLength, Min, Max, Pattern, Options, the conditions on fields, ' +
      'Validate with an Operator, references, lookups and lists; all faults are told ' +
      'together (400).',
  },
  {
    name: 'Statement',
    text:
      'The record is written, by the Insert or Update of the view or a generated one; a ' +
      'Sequence draws its number, and unique rules hold (400). Details follow, row by ' +
      'row, through the same steps.',
  },
  {
    name: 'Compute',
    text: 'Computed columns of the record, and of those that are computed from it.',
  },
  {
    name: 'Events',
    text:
      'On of the entity, then of its views, in the order of the document. What their ' +
      'statements change is computed and raises events in its turn, 20 times over at ' +
      'most.',
  },
  {
    name: 'Rules',
    text:
      'References of all that was written hold, and each Validate of the entity that is a ' +
      'query (400); then stamps move and entries of the audit log are written.',
  },
  {
    name: 'View rules',
    text: 'Each Validate of the view that is a query (400).',
  },
  {
    name: 'Own rows',
    text: 'The record is among the rows that the caller may see (400).',
  },
  {
    name: 'Commit',
    text:
      'All of it is on the disk, or nothing is. Notifications, mails, jobs and webhooks ' +
      'that events have asked for leave after it.',
  },
] as const satisfies readonly MutationStep[]

/** The name of a step. */
export type MutationStepName = (typeof MUTATION_ORDER)[number]['name']

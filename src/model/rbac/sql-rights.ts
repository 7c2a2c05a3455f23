/** Rights whose holders write SQL of their own, which no row filter or field rule holds. */
import { type Message, say } from '../../kernel/messages.ts'

const MEANINGS: ReadonlyMap<string, Message> = new Map([
  [
    'ReportDefinitions',
    say`Update allows writing SQL that reads all data of the company, even what a role hides`,
  ],
  [
    'WorkflowDefinitions',
    say`Update allows writing SQL that reads and changes all tables of the company`,
  ],
])

/** Describes what a right on a resource means beyond its name; undefined where it means no more. */
export const describeSqlRight = (resource: string, right: string): Message | undefined =>
  right === 'Update' ? MEANINGS.get(resource) : undefined

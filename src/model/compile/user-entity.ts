/** The built-in entity `User`: the published columns of the engine's users. */
import { type Message, say } from '../../kernel/messages.ts'
import type { Place } from '../element.ts'
import type { Entity, FieldType } from '../model.ts'
import { engineColumn } from './column.ts'

const PLACE: Place = { file: 'User', line: 1, column: 1 }

const COLUMNS: readonly [name: string, label: Message, type: FieldType][] = [
  ['Id', say`Id`, 'Integer'],
  ['UserName', say`User name`, 'Text'],
  ['DisplayName', say`Name`, 'Text'],
  ['Email', say`Email`, 'Text'],
  ['Active', say`Active`, 'Boolean'],
]

/** Read through its published name `svc_users`, never written. */
export function makeUserEntity(): Entity {
  const columns = COLUMNS.map(([name, label, type]) => {
    const isKey = name === 'Id'
    return engineColumn({
      name,
      label,
      type,
      kind: 'declared',
      key: isKey,
      identity: isKey,
      place: PLACE,
    })
  })
  return {
    name: 'User',
    table: 'svc_users',
    label: say`User`,
    display: ['DisplayName'],
    concurrency: false,
    company: undefined,
    audit: false,
    tracking: false,
    parent: undefined,
    columns,
    columnByName: new Map(columns.map((column) => [column.name.toLowerCase(), column])),
    keys: columns.filter((column) => column.key),
    indexes: [],
    sequences: [],
    validates: [],
    events: [],
    was: undefined,
    builtIn: true,
    place: PLACE,
  }
}

/** Secrets of a source are taken, and no view serves them. */
import type { SourceFile } from '../../store/file/source-file.ts'
import { type AdoptedColumn, type AdoptedEntity, type AdoptedModel, keysOf } from './adopted.ts'
import { findSecrets } from './find-secrets.ts'
import { TakenNames } from './names.ts'
import { findRowId } from './source-schema.ts'

/** Hides columns that look like secrets, with a note on each. @throws SourceError */
export async function planSecrets(source: SourceFile, model: AdoptedModel): Promise<void> {
  for (const entity of model.entities)
    for (const column of await findSecrets(source, entity)) hide(model, entity, column)
}

function hide(model: AdoptedModel, entity: AdoptedEntity, column: AdoptedColumn): void {
  const of = `${entity.source.table.name}.${column.profile.column.name}`
  const tell = (text: string): number => model.notes.push({ kind: 'hidden', of, text })
  column.isSecret = true
  for (const note of model.notes)
    if (note.of === of) note.text = note.text.replace(/, but holds .*$/, ', but holds another')
  if (column.key && !replaceKey(model, entity, column)) {
    entity.isSecret = true
    tell('looks like a secret and is the key, so the table has no view')
    for (const other of listReferring(model, entity)) other.isSecret = true
    return
  }
  const wasRequired = column.required
  column.required = false
  const free = wasRequired ? '; not Required, so that records can be made without it' : ''
  tell(`looks like a secret, so its field is In="None" and nobody is shown it${free}`)
}

/** Gives the entity the row's own number as its key, where nothing refers to the present one. */
function replaceKey(model: AdoptedModel, entity: AdoptedEntity, column: AdoptedColumn): boolean {
  const { table } = entity.source
  const isReferred = listReferring(model, entity).length > 0
  if (isReferred || keysOf(entity).length > 1 || findRowId(table) === undefined) return false
  const names = new TakenNames(entity.columns.map(({ name }) => name))
  entity.madeKey = names.take('Id', `${entity.name}Id`, 'RowNumber')
  column.key = false
  column.unique = true
  return true
}

const listReferring = ({ entities }: AdoptedModel, { source }: AdoptedEntity): AdoptedColumn[] =>
  entities
    .flatMap(({ columns }) => columns)
    .filter(({ references }) => references?.target === source.table.name.toLowerCase())

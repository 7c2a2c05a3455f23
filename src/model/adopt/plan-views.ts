/** Views of adopted tables as people see them: record labels, lists of others, records below. */
import {
  type AdoptedColumn,
  type AdoptedEntity,
  type AdoptedModel,
  findEntity,
  keysOf,
} from './adopted.ts'
import { toLabel } from './labels.ts'
import { planDisplay, planSearch } from './plan-display.ts'
import type { NameLanguage } from './plurals.ts'

/** Plans labels of records, details, sections and the search of the application. */
export function planViews(model: AdoptedModel): void {
  for (const entity of model.entities) planDisplay(entity)
  for (const entity of model.entities)
    if (!entity.isLink) {
      planDetails(model, entity)
      entity.sections = planSections(entity, model.language)
      entity.search = planSearch(entity)
    }
}

/** Fewest neighbours that begin with one word to make a section of the form. */
const SECTION_MIN = 3

/** Words that do not name a subject. */
const NO_SECTION = /^(?:is|has|can|no|last|first|date|total|number|num|min|max)$/i

function planSections(
  { name: own, columns }: AdoptedEntity,
  language: NameLanguage,
): AdoptedEntity['sections'] {
  const isUsual = (word: string): boolean =>
    NO_SECTION.test(word) || own.toLowerCase().startsWith(word.toLowerCase())
  const runs: { word: string; names: string[] }[] = []
  for (const { name, key } of columns) {
    const word = key ? '' : (/^[A-Z]?[a-z]+(?=[A-Z_])/.exec(name)?.[0] ?? '')
    const last = runs.at(-1)
    if (last?.word === word) last.names.push(name)
    else runs.push({ word, names: [name] })
  }
  return runs.flatMap(({ word, names }) =>
    word === '' || names.length < SECTION_MIN || isUsual(word)
      ? []
      : [{ label: toLabel(word, language), columns: names }],
  )
}

const referencesOf = ({ columns }: AdoptedEntity): AdoptedColumn[] =>
  columns.filter(({ references }) => references !== undefined)

/** Records that are parts of another: by their key, by their name, or since they go with it. */
function planDetails(model: AdoptedModel, entity: AdoptedEntity): void {
  for (const column of referencesOf(entity)) {
    const owner = findEntity(model, column.references?.target ?? '')
    const [key] = owner ? keysOf(owner) : []
    if (entity.isSecret || column.isSecret) continue
    if (!owner || !key || owner === entity || column.key !== isPart(entity, column)) continue
    const isNamed = entity.name.startsWith(owner.name) && (column.required || column.key)
    const goesWith = column.references?.onDelete === 'Cascade'
    if (!isNamed && !goesWith) continue
    owner.details.push({ view: entity.view, parent: `${column.name}=${key.name}` })
  }
}

/** A key that is a reference alone is the same record's other half, and no part of it. */
const isPart = (entity: AdoptedEntity, column: AdoptedColumn): boolean =>
  column.key && keysOf(entity).length > 1

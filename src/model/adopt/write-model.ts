/** An adopted model as files, as an author would write them: defaults are left out. */
import { type AdoptedColumn, type AdoptedEntity, type AdoptedModel, findEntity } from './adopted.ts'
import { toOptionLabel } from './labels.ts'
import { VERBS } from '../compiled/role.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { toKebabCase } from '../names.ts'
import type { ModelFile } from '../parse/parse.ts'

/** Names of what holds the tables together. */
export interface ApplicationNames {
  /** The role that may do everything with what was adopted. */
  role: string
  navbar: string
  /** Undefined where it has its default. */
  rbac: string | undefined
}

/** Writes one file for each table, with its view, and one for the rest of the application. */
export function writeModel(model: AdoptedModel, names: ApplicationNames): ModelFile[] {
  const files = model.entities.map((entity) => ({
    name: `${toKebabCase(entity.view)}.xml`,
    body: writeFile([writeEntity(model, entity), ...(entity.isSecret ? [] : [writeView(entity)])]),
  }))
  return [...files, { name: 'application.xml', body: writeFile(writeApplication(model, names)) }]
}

const writeFile = (scripts: readonly string[][]): string =>
  `<Model>\n${scripts.map((lines) => indent(lines).join('\n')).join('\n\n')}\n</Model>\n`

const indent = (lines: readonly string[]): string[] =>
  lines.map((line) => (line === '' ? '' : `  ${line}`))

/** Attributes in the order of the pairs; one without a value is left out. */
function open(
  name: string,
  attributes: Record<string, string | number | true | undefined>,
): string {
  const parts = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : ` ${key}="${escape(String(value))}"`,
  )
  return `<${name}${parts.join('')}`
}

/** Writes an element with its content. */
const element = (start: string, name: string, children: readonly string[]): string[] =>
  children.length === 0 ? [`${start}/>`] : [`${start}>`, ...indent(children), `</${name}>`]

const escape = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replace(/[\t\n\r]/g, (blank) => `&#${blank.charCodeAt(0)};`)

function writeEntity(model: AdoptedModel, entity: AdoptedEntity): string[] {
  const { name, table, madeKey } = entity
  const start = open('Entity', {
    Name: name,
    Table: table === name ? undefined : table,
    Label: entity.label,
    Display: entity.isDisplayUsual ? undefined : entity.display.join(' '),
    Parent: entity.parent,
  })
  const number = { Label: 'ID', Type: 'Integer', Key: true, Identity: true } as const
  const made = madeKey ? [`${open('Column', { Name: madeKey, ...number })}/>`] : []
  const columns = entity.columns.flatMap((column) => writeColumn(model, column))
  const indexes = entity.indexes.map(
    ({ columns: names, unique }) =>
      `${open('Index', { Columns: names.join(' '), Unique: unique || undefined })}/>`,
  )
  return element(start, 'Entity', [...made, ...columns, ...indexes])
}

function writeColumn(model: AdoptedModel, column: AdoptedColumn): string[] {
  const { references } = column
  const target = references && findEntity(model, references.target)
  const isType = target === undefined && (!FIELD_KINDS[column.type].isText || column.key)
  const start = open('Column', {
    Name: column.name,
    Label: column.label,
    Type: isType ? column.type : undefined,
    References: target?.name,
    Key: column.key || undefined,
    Identity: column.identity || undefined,
    Required: column.required || undefined,
    Unique: column.unique || undefined,
    MaxLength: column.maxLength,
    Scale: column.scale === 2 ? undefined : column.scale,
    OnDelete: references?.onDelete === 'Restrict' ? undefined : references?.onDelete,
    Default: column.default,
  })
  const options = column.options.map((value) => {
    const label = toOptionLabel(value, model.language)
    return `${open('Option', { Value: value, Label: label })}/>`
  })
  return element(start, 'Column', options)
}

/**
 * Writes lists behind the label of the record and sections at their columns' place; without either,
 * the columns as they are, with those that are hidden.
 */
function writeView(entity: AdoptedEntity): string[] {
  const { name, view, viewLabel, lists, details, columns, search } = entity
  const start = open('ObjectView', { Name: view, Label: viewLabel, Entity: name })
  const first = lists.length > 0 ? entity.display : []
  const before = first.map((field) => writeField(entity, field))
  const fields = lists.map((list) => {
    const { name: Name, label: Label, through: Through } = list
    return `${open('Field', { Name, Label, Multiple: true, Through })}/>`
  })
  const sections = writeSections(entity, first)
  const shown = [...first, ...listSectioned(entity)]
  const hidden = columns
    .filter((column) => column.isSecret && !shown.includes(column.name))
    .map((column) => writeField(entity, column.name))
  const found =
    search && open('Search', { Title: search.title, Text: search.texts.join(' ') || undefined })
  const below = details.map(
    (detail) => `${open('Detail', { View: detail.view, Parent: detail.parent })}/>`,
  )
  const parts = [...before, ...fields, ...sections, ...hidden, found ? `${found}/>` : [], ...below]
  return element(start, 'ObjectView', parts.flat())
}

function writeField({ columns }: AdoptedEntity, name: string): string {
  const isSecret = columns.some((column) => column.name === name && column.isSecret)
  return `${open('Field', { Name: name, In: isSecret ? 'None' : undefined })}/>`
}

/** The fields up to the last section. */
function listSectioned({ columns, sections, madeKey }: AdoptedEntity): string[] {
  const last = sections.at(-1)?.columns.at(-1)
  if (last === undefined) return []
  const names = columns.map(({ name }) => name)
  return [madeKey ?? [], names.slice(0, names.indexOf(last) + 1)].flat()
}

/** Writes the columns up to the last section, except those above. */
function writeSections(entity: AdoptedEntity, above: readonly string[]): string[] {
  const { sections } = entity
  return listSectioned(entity).flatMap((name) => {
    const section = sections.find((each) => each.columns.includes(name))
    const toFields = (fields: readonly string[]): string[] =>
      fields.filter((each) => !above.includes(each)).map((each) => writeField(entity, each))
    if (!section) return toFields([name])
    if (section.columns[0] !== name) return []
    const fields = toFields(section.columns)
    return fields.length === 0
      ? []
      : element(open('Section', { Label: section.label }), 'Section', fields)
  })
}

function writeApplication({ entities }: AdoptedModel, names: ApplicationNames): string[][] {
  const items = entities
    .filter(({ isLink, isSecret }) => !isLink && !isSecret)
    .map(({ view }) => `${open('Item', { Name: view, Object: view })}/>`)
  const grants = entities
    .filter(({ isSecret }) => !isSecret)
    .map(({ view }) => `${open('Grant', { Resource: view, Verbs: VERBS.join(' ') })}/>`)
  const role = element(open('Role', { Name: names.role }), 'Role', grants)
  const navbar = element(open('Navbar', { Name: names.navbar }), 'Navbar', items)
  return [
    ...(items.length > 0 ? [navbar] : []),
    element(open('Rbac', { Name: names.rbac }), 'Rbac', role),
  ]
}

/**
 * The statement that reads the record of a form. The part that depends on the names of the
 * parameters is planned once; a request binds its values.
 */
import { Lru } from '../../../kernel/lru.ts'
import type { SqlRead } from '../../../store/sql.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import type { Shadowed } from '../../../model/sql/shadow.ts'
import { Bindings } from '../bindings.ts'
import { parseParameter } from '../parameters.ts'
import { composeOperand } from '../read/filter.ts'
import { namesRecord } from '../read/find-view.ts'
import { composeRaw } from '../read/masked.ts'
import { composeCells } from '../read/page-cells.ts'
import { composeRowRights, listRowRights } from '../read/permissions.ts'
import { projectRow, visibleFields } from '../read/projection.ts'
import type { RowForm } from '../read/row-forms.ts'
import {
  bindNames,
  composeCondition,
  composeOnce,
  findSource,
  type Source,
} from '../read/source.ts'
import { findNarrowing } from '../read/view-parameters.ts'
import type { ViewUse } from '../view-access.ts'

export type FormMode = 'Form' | 'View'

/** The fields that narrow the rows to the record, by the names of a request's parameters. */
interface FormShape {
  narrowing: readonly { key: string; field: Field }[]
  /** Each of the names narrows. */
  isWhole: boolean
  /** Statements by mode and by the values that are null, which are compared in another way. */
  statements: Map<string, FormStatement>
}

/** A statement with the names of its source that it uses. */
interface FormStatement extends Shadowed {
  names: readonly string[]
}

const SHAPES_MAX = 50
const NAMES_CHARACTERS_MAX = 200
/** Most narrowing values; more would have too many combinations of nulls. */
const NARROWING_MAX = 6

const shapes = new WeakMap<Source, Lru<string, FormShape>>()

/** See `planForm`; also tells whether the view knows each of the parameters by a field. */
export function findFormShape(
  source: Source,
  use: Pick<ViewUse, 'view' | 'grant'>,
  parameters: ReadonlyMap<string, unknown>,
): FormShape {
  // Names have their lengths, so that no name can pass for two others.
  let names = ''
  for (const name of parameters.keys()) names += `${name.length}:${name}`
  let known = shapes.get(source)
  if (!known) shapes.set(source, (known = new Lru(SHAPES_MAX)))
  const found = known.find(names)
  if (found) return found
  const shape = planShape(use, [...parameters.keys()])
  return names.length > NAMES_CHARACTERS_MAX ? shape : known.keep(names, shape)
}

function planShape(
  { view, grant }: Pick<ViewUse, 'view' | 'grant'>,
  names: readonly string[],
): FormShape {
  const narrowing = names.flatMap((key) => {
    const field = findNarrowing(view, grant, key)
    return field ? [{ key, field }] : []
  })
  return { narrowing, isWhole: narrowing.length === names.length, statements: new Map() }
}

/** The first row that the key and parents leave, and whether its Permit of Update holds. */
export function planForm(
  use: ViewUse,
  parameters: ReadonlyMap<string, unknown>,
  mode: FormMode,
): SqlRead {
  const source = findSource(use.view, use.grant, 'read')
  return planFormOf(source, findFormShape(source, use, parameters), use, { parameters, mode })
}

/** Plans a form by a shape that was found before. */
export function planFormOf(
  source: Source,
  { narrowing, statements }: FormShape,
  { view, grant, context }: ViewUse,
  { parameters, mode }: { parameters: ReadonlyMap<string, unknown>; mode: FormMode },
): SqlRead {
  const bindings = new Bindings()
  let name: string = mode
  const operands: string[] = []
  for (const { key, field } of narrowing) {
    const bound = parseParameter(field.name, view, parameters.get(key))
    operands.push(bound === null ? 'IS NULL' : `= ${bindings.add(bound)}`)
    name += bound === null ? '-' : '='
  }
  let text = statements.get(name)
  if (!text) {
    const parts = narrowing.map(
      ({ field }, at) => `${composeOperand(field, { view, grant })} ${operands[at]}`,
    )
    text = composeForm(source, { view, grant }, { mode, where: parts.join(' AND ') })
    if (narrowing.length <= NARROWING_MAX) statements.set(name, text)
  }
  const { sql, own, names } = text
  bindNames(names, bindings, context, { view, parameters })
  const isByKey = view.keys.length > 0 && namesRecord(view, parameters)
  const runs = isByKey ? formPlace(view, source) : 'lane'
  return { sql, own, args: bindings.args(), runs, of: source.of }
}

function composeForm(
  source: Source,
  { view, grant }: Pick<ViewUse, 'view' | 'grant'>,
  { mode, where }: { mode: FormMode; where: string },
): FormStatement {
  const conditions = where === '' ? [] : [where]
  const text = composeOnce(source, mode + where, (form: RowForm): string => {
    const row = projectRow(view, visibleFields(view, grant, mode), grant)
    const permit = view.permits.find((candidate) => candidate.capability === 'Update')
    const when = permit && composeRaw(view, grant, composeCondition(permit.when))
    const permitted = when ? `coalesce(${when}, 0) <> 0` : '1'
    const rights = composeRowRights(view, grant, listRowRights(view, grant))
    const cells = composeCells([`(${permitted})`, rights, row])
    return `${form.with}SELECT ${cells} FROM ${form.from} ${form.where(conditions)} LIMIT 1`
  })
  const both = text.sql + (text.own?.() ?? '')
  return { ...text, names: source.names.filter((name) => both.includes(`@${name}`)) }
}

/** A generated view narrowed to its key is a point read; without a key it may read every row. */
function formPlace(view: View, source: Source): SqlRead['runs'] {
  const isPlain = source.filter === '' && view.permits.length === 0
  return view.isGenerated && isPlain ? 'inline' : source.runs
}

/** Columns of datasets that the widgets of a report may name, with their types. */
import { placeOf, readText } from './attributes.ts'
import { columnTypes, typeOfColumn } from './column-types.ts'
import type { Compilation } from './compilation.ts'
import { suggest } from './fault-list.ts'
import { findOutputTypes } from './output-types.ts'
import type { AuthoredSql } from '../compiled/authored-sql.ts'
import type { Column } from '../compiled/entity.ts'
import type { FieldType } from '../compiled/field-features.ts'
import type { ReportDataSet } from '../compiled/report.ts'
import type { ReportColumn } from '../compiled/widget.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { toWords } from '../names.ts'
import type { Element } from '../parse/element.ts'

/** A dataset as given; without SQL where the gate refuses it. */
export type GivenDataSet = Omit<ReportDataSet, 'sql'> & { sql: AuthoredSql | undefined }

/** A dataset's column: the table column that it is taken from, or the type of its expression. */
export interface DataSetColumn {
  name: string
  origin: Column | undefined
  type: FieldType | undefined
}

/** The datasets of a report with their columns by lower-case name, in order. */
export class DataSetColumns {
  readonly #c: Compilation
  readonly #dataSets: readonly GivenDataSet[]
  readonly #columns = new Map<GivenDataSet, ReadonlyMap<string, DataSetColumn>>()

  constructor(c: Compilation, dataSets: readonly GivenDataSet[]) {
    this.#c = c
    this.#dataSets = dataSets
  }

  /** The columns of the dataset that an attribute names; undefined, with a fault, for another. */
  find(element: Element, attribute: string): ReadonlyMap<string, DataSetColumn> | undefined {
    const name = readText(element, attribute)
    if (name === undefined) return undefined
    const dataSet = this.#dataSets.find((each) => each.name === name)
    if (dataSet) return this.#columnsOf(dataSet)
    const names = this.#dataSets.map((each) => each.name)
    const message = `There is no DataSet ${name}${suggest(name, names)}`
    this.#c.faults.add(placeOf(element, attribute), message)
    return undefined
  }

  /** The columns of a dataset by its name. */
  ofDataSet(name: string): ReadonlyMap<string, DataSetColumn> | undefined {
    const dataSet = this.#dataSets.find((each) => each.name === name)
    return dataSet && this.#columnsOf(dataSet)
  }

  #columnsOf(dataSet: GivenDataSet): ReadonlyMap<string, DataSetColumn> | undefined {
    const known = this.#columns.get(dataSet)
    if (known || !dataSet.sql) return known
    const columns = listColumns(this.#c, dataSet.sql)
    this.#columns.set(dataSet, columns)
    return columns
  }
}

function listColumns(c: Compilation, sql: AuthoredSql): ReadonlyMap<string, DataSetColumn> {
  const types = findOutputTypes(sql.text, columnTypes(c, sql.reads))
  return new Map(
    sql.columns.map(({ name, table, column }) => {
      const key = name.toLowerCase()
      const entity = c.entityByTable.get(table?.toLowerCase() ?? '')
      const origin = entity?.columnByName.get(column?.toLowerCase() ?? '')
      return [key, { name, origin, type: origin ? typeOfColumn(origin) : types.get(key) }]
    }),
  )
}

/** The column that an attribute names; undefined, with a fault, where the dataset has none. */
export function findDataSetColumn(
  c: Compilation,
  element: Element,
  attribute: string,
  columns: ReadonlyMap<string, DataSetColumn> | undefined,
): DataSetColumn | undefined {
  const name = readText(element, attribute)
  if (name === undefined || !columns) return undefined
  const found = columns.get(name.toLowerCase())
  if (found) return found
  const names = [...columns.values()].map((each) => each.name)
  const message = `${attribute}: the DataSet has no column ${name}${suggest(name, names)}`
  c.faults.add(placeOf(element, attribute), message)
  return undefined
}

/** Compiles a column of a widget: by its element, else by the table's column. */
export function compileReportColumn(
  c: Compilation,
  element: Element,
  column: DataSetColumn | undefined,
): ReportColumn {
  const name = readText(element, 'Column') ?? ''
  const plain = plainColumn(column ?? { name, origin: undefined, type: undefined })
  if (column && !isCalledSo(column)) c.untitled.add(element)
  return {
    ...plain,
    label: c.labelOf(element, plain.label),
    type: (readText(element, 'Type') as FieldType | undefined) ?? plain.type,
    format: readText(element, 'Format') ?? plain.format,
    unit: c.findText(element, 'Unit') ?? plain.unit,
  }
}

/** A column that the widget shows without an element of its own. */
export function plainColumn(column: DataSetColumn): ReportColumn {
  const { name, origin, type } = column
  return {
    column: name,
    label: origin && isCalledSo(column) ? origin.label : toWords(name),
    type,
    scale: origin && FIELD_KINDS[origin.type].number === 'scaled' ? origin.scale : undefined,
    options: origin?.options ?? [],
    format: origin?.format,
    unit: origin?.unit,
  }
}

/** True when the query calls the table's column by its own name. */
const isCalledSo = ({ name, origin }: DataSetColumn): boolean =>
  origin?.name.toLowerCase() === name.toLowerCase()

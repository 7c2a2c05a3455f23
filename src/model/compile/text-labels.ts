/** `{Column__Label}` in the texts of effects: what a value is called, as in a grid. */
import type { FieldFeatures, TextLabel } from '../model.ts'
import type { Compilation } from './compilation.ts'
import { composeOnRequest, planLabel } from './labels.ts'

/** What has labels where texts stand: columns of the row, parameters. */
export interface LabelScope {
  features: () => Iterable<FieldFeatures>
  /** Whether the row is a company's own. */
  isTenant: boolean
}

/** What has no values that are called otherwise. */
export const NO_LABELS: LabelScope = { features: () => [], isTenant: true }

/** How the label of a column or parameter is named. */
export const labelName = (name: string): string => `${name}__Label`

/** The names that stand for labels: of options, and of records that are referred to. */
export function listLabelNames(scope: LabelScope): string[] {
  return listLabelled(scope).map(({ name }) => labelName(name))
}

/** The labels that some texts name, each once; composed when the first of them is filled in. */
export function planTextLabels(
  c: Compilation,
  scope: LabelScope,
  named: ReadonlySet<string>,
): TextLabel[] {
  if (![...named].some((name) => name.endsWith('__label'))) return []
  const found = new Map<string, TextLabel>()
  for (const feature of listLabelled(scope)) {
    const name = labelName(feature.name).toLowerCase()
    if (!named.has(name) || found.has(name)) continue
    const label: TextLabel = { name, of: feature, labelSql: undefined }
    if (isReference(feature)) composeOnRequest(label, () => planLabel(c, feature, scope.isTenant))
    found.set(name, label)
  }
  return [...found.values()]
}

const isReference = ({ references, lookup }: FieldFeatures): boolean =>
  references !== undefined || lookup !== undefined

const listLabelled = ({ features }: LabelScope): FieldFeatures[] =>
  [...features()].filter((feature) => feature.options.length > 0 || isReference(feature))

/** A view as a document of its records: its sections and fields, its Details as tables. */
import type { Print, PrintPart } from '../../model/compiled/print.ts'
import type { Detail, View } from '../../model/compiled/view.ts'
import type { Model } from '../../model/model.ts'

const prints = new WeakMap<View, Print>()

/** Plans the print of a view once; what a caller sees of it is decided when it is read. */
export const planViewPrint = (view: View, model: Model): Print =>
  prints.getOrInsertComputed(view, () => planPrint(view, model))

function planPrint(view: View, model: Model): Print {
  const shown = view.fields.filter((field) => !field.hidden && field.in.has('View'))
  const lists = view.linked.filter((field) => field.link && field.in.has('View'))
  const names = [...shown, ...lists].map(({ name }) => name)
  return {
    name: view.name,
    slug: view.slug,
    label: view.label,
    versionHash: view.versionHash,
    view: view.name,
    report: undefined,
    title: view.label,
    language: undefined,
    page: { size: 'A4', isLandscape: false, margin: undefined },
    letterhead: undefined,
    foot: undefined,
    parts: [
      { kind: 'heading', level: 1, text: view.label, when: undefined },
      ...planSections(view, names),
      ...view.details.flatMap((detail) => planDetail(detail, model)),
    ],
    fields: names,
  }
}

/** Fields that belong to no section come first. */
function planSections({ sections }: View, names: readonly string[]): PrintPart[] {
  const placed = new Set(sections.flatMap(({ fields }) => fields))
  const rest = names.filter((name) => !placed.has(name))
  return [
    ...planFields(rest),
    ...sections.flatMap(({ label, fields }): PrintPart[] => {
      const own = planFields(fields.filter((name) => names.includes(name)))
      const heading = { kind: 'heading', level: 2, text: label, when: undefined } as const
      return own.length > 0 ? [heading, ...own] : []
    }),
  ]
}

const planFields = (fields: readonly string[]): PrintPart[] =>
  fields.length > 0 ? [{ kind: 'fields', fields, columns: 2, when: undefined }] : []

/** The columns of the Detail's grid, without those that hold its rows to the record. */
function planDetail({ name, label, view: viewName, parent }: Detail, model: Model): PrintPart[] {
  const view = model.views.get(viewName)
  const held = new Set(parent.map(({ child }) => child.toLowerCase()))
  const columns = (view?.fields ?? [])
    .filter((field) => !field.hidden && field.in.has('Grid') && !held.has(field.name.toLowerCase()))
    .map((field) => ({
      field: field.name,
      label: field.label,
      hasOwnLabel: false,
      weight: undefined,
      isSummed: false,
      isCarried: false,
    }))
  if (columns.length === 0) return []
  const part = { kind: 'lines', detail: name, label, columns } as const
  return [{ ...part, group: undefined, empty: undefined, when: undefined }]
}

/**
 * The rows of one detail of a record, such as the lines of an order, as they are edited: what was
 * added, changed and taken out goes with the save of its record.
 */
import { computed, signal } from '@preact/signals'
import { say } from '../texts/texts.ts'
import { type Schemas, take, wire } from '../api/wire.ts'
import { findRow, loadRows } from './detail-load.ts'
import type { DraftRow } from './drafts.ts'
import { notify } from './notices.ts'
import { RecordForm, type RecordPart, type RowFault } from './record-form.ts'
import {
  type Choices,
  compareRows,
  listTheirsOfRow,
  nameChoice,
  type RowConflict,
  type RowsConflict,
  textOfKey,
} from './row-conflicts.ts'

type Field = Schemas['MetadataField']
type Values = Schemas['FieldValues']

/** A row as it was loaded or added; `form` is there once it is edited. */
export interface DetailRow {
  id: number
  stored: Values
  isNew: boolean
  isRemoved: boolean
  form: RecordForm | undefined
}

let lastId = 0
const NO_FAULTS: readonly RowFault[] = []

/** A detail of a record; it loads when it is shown. */
export class DetailRows implements RecordPart {
  readonly detail: Schemas['MetadataDetail']
  readonly metadata = signal<Schemas['MetadataResult'] | undefined>(undefined)
  readonly rows = signal<readonly DetailRow[]>([])
  readonly permissions = signal<Schemas['Permissions'] | undefined>(undefined)
  readonly isLoaded = signal(false)
  /** True where the record itself cannot be changed. */
  readonly isShut = signal(false)
  /** True where the record has more rows than are loaded. */
  readonly hasMore = signal(false)
  readonly conflict = signal<RowsConflict | undefined>(undefined)
  /** The cell that is sought; its table goes there and forgets it. */
  readonly sought = signal<{ row: number; field: string } | undefined>(undefined)
  /** The rows as others have stored them, of the last comparison. */
  #theirs: readonly Values[] = []
  /** The record's values, of which the links are taken. */
  #parent: Values = {}
  #loading: Promise<void> | undefined
  #isCopy = false
  /** The rows of the last save, in the order in which the server names their faults. */
  #sent: DetailRow[] = []

  constructor(detail: Schemas['MetadataDetail']) {
    this.detail = detail
  }

  /** The columns: those of a form where rows can be typed in, else those of a grid. */
  readonly fields = computed((): readonly Field[] => {
    const links = new Set(this.detail.Parent.map(({ Field: name }) => name))
    const { Create, Update } = this.permissions.value ?? NO_PERMISSIONS
    const surface = !this.isShut.value && (Create || Update) ? 'Form' : 'Grid'
    return (this.metadata.value?.Fields ?? []).filter(
      ({ Name, In, Hidden, Stamp }) =>
        !Hidden && !Stamp && !links.has(Name) && In.includes(surface),
    )
  })

  /** True where something was added, changed or taken out. */
  readonly isChanged = computed(() => this.rows.value.some(isDirty))

  readonly faults = computed((): readonly RowFault[] => {
    const found = this.rows.value.flatMap(({ form }, row) =>
      Object.entries(form?.faults.value ?? {}).map(([field, fault]) => ({ row, field, fault })),
    )
    // What is typed into a table without faults draws nothing else anew.
    return found.length === 0 ? NO_FAULTS : found
  })

  seek(row: number, field: string): void {
    this.sought.value = { row, field }
  }

  /** Takes the record whose rows these are; they load at the next `show`. */
  follow(parent: Values, canSubmit: boolean): void {
    this.isShut.value = !canSubmit
    this.#parent = parent
    this.#loading = undefined
    this.rows.value = this.rows.value.filter(isDirty)
    this.isLoaded.value = false
  }

  /** Loads the rows, once. @throws ServerError */
  show(): Promise<void> {
    this.#loading ??= this.#load().catch((thrown: unknown) => {
      // The next look at it tries again.
      this.#loading = undefined
      throw thrown
    })
    return this.#loading
  }

  /** The values that tie a row to its record; undefined for a record that is not stored yet. */
  #links(parent = this.#parent): Values | undefined {
    const links = this.detail.Parent.map(
      ({ Field: name, ParentField }) => [name, parent[ParentField]] as const,
    )
    return links.every(([, value]) => value != null)
      ? (Object.fromEntries(links) as Values)
      : undefined
  }

  async #load(): Promise<void> {
    const params = { path: { name: this.detail.View } }
    this.metadata.value ??= await take(wire.GET('/api/v1/svc/object/{name}/metadata', { params }))
    const loaded = await this.#loadRows(this.#links())
    this.rows.value = [...loaded.map(rowOf), ...this.rows.value]
    this.isLoaded.value = true
  }

  async #loadRows(links: Values | undefined): Promise<Values[]> {
    const { rows, permissions, hasMore } = await loadRows(this.detail.View, links)
    this.permissions.value = permissions
    this.hasMore.value = hasMore
    return rows
  }

  /** True where the caller may add rows. */
  readonly canAdd = computed(() => this.permissions.value?.Create === true)

  /** Adds an empty row at once; its defaults come while one types. */
  add(): DetailRow {
    const row = this.#newRow()
    const { form } = row
    this.rows.value = [...this.rows.value, row]
    form.awaitValue(
      this.#loadDefaults(form.metadata.Slug).then((found) => form.takeDefaults(found)),
    )
    return row
  }

  #newRow(): DetailRow & { form: RecordForm } {
    const metadata = this.metadata.value
    if (!metadata) throw new Error('A row was added before its detail was shown')
    const form = new RecordForm(metadata, {})
    const permissions = this.permissions.value ?? NO_PERMISSIONS
    form.begin(planForm({ Values: {}, Permissions: permissions, CanSubmit: true, IsNew: true }))
    return { ...rowOf({}), isNew: true, form }
  }

  async #loadDefaults(name: string): Promise<Values> {
    const params = { path: { name } }
    const body = { Parameters: this.#links() ?? {} }
    const { Values: defaults } = await take(
      wire.POST('/api/v1/svc/object/{name}/form', { params, body }),
    )
    return defaults
  }

  /** Adds the rows of another record as new ones, where rows can be added. @throws ServerError */
  async copyRows(source: Values, isCopied: (field: Field) => boolean): Promise<void> {
    await this.show()
    const metadata = this.metadata.value
    const links = this.#links(source)
    if (!metadata || !links || !this.canAdd.value) return
    const rows = await this.#loadRows(links)
    if (rows.length === 0) return
    const defaults = await this.#loadDefaults(metadata.Slug)
    const Permissions = this.permissions.value ?? NO_PERMISSIONS
    const copies = rows.map((stored): DetailRow => {
      const form = new RecordForm(metadata, {})
      form.begin(planForm({ Values: defaults, Permissions, CanSubmit: true, IsNew: true }))
      form.copyValues(stored, (field) => isCopied(field) && !(field.Name in links))
      return { ...rowOf({}), isNew: true, form }
    })
    this.#isCopy = true
    this.rows.value = [...this.rows.value, ...copies]
  }

  /** The form of a row, made when it is edited first. */
  edit(row: DetailRow): RecordForm {
    const metadata = this.metadata.value
    if (row.form) return row.form
    if (!metadata) throw new Error('A row was edited before its detail was shown')
    const form = new RecordForm(metadata, keyOf(metadata, row.stored))
    const permissions = this.permissions.value
    const CanSubmit = permissions?.Update === true
    const Permissions = permissions ?? NO_PERMISSIONS
    form.begin(planForm({ Values: row.stored, Permissions, CanSubmit, IsNew: false }))
    row.form = form
    return form
  }

  /** Takes a row out, or back in; one that is new goes at once. */
  remove(row: DetailRow): void {
    this.rows.value = row.isNew
      ? this.rows.value.filter(({ id }) => id !== row.id)
      : this.rows.value.map((each) =>
          each.id === row.id ? { ...each, isRemoved: !each.isRemoved } : each,
        )
  }

  /** The changes as a submit bears them; undefined without any. */
  planChanges(): Schemas['DetailChanges'] | undefined {
    const metadata = this.metadata.value
    if (!metadata || !this.isChanged.value) return undefined
    const changed = this.rows.value.filter(isDirty)
    this.#sent = changed.filter(({ isRemoved }) => !isRemoved)
    return {
      Upsert: this.#sent.map((row) => row.form?.planValues() ?? row.stored),
      Delete: changed
        .filter(({ isRemoved }) => isRemoved)
        .map(({ stored }) => keyOf(metadata, stored)),
      // Rows with a stamp of their own are held by that.
      ...(!metadata.Fields.some(({ Stamp }) => Stamp) && {
        Loaded: changed.filter(({ isNew }) => !isNew).map((row) => planLoaded(metadata, row)),
      }),
    }
  }

  /** Tells faults of the server at their rows: `Lines[2].Price`; returns those of no row. */
  tell(faults: Readonly<Record<string, string>>): Record<string, string> {
    const others: Record<string, string> = {}
    const pattern = new RegExp(`^${RegExp.escape(this.detail.Name)}\\[(\\d+)\\](?:\\.(.+))?$`)
    for (const { form } of this.#sent) if (form) form.faults.value = {}
    for (const [name, fault] of Object.entries(faults)) {
      const [, at, field = ''] = pattern.exec(name) ?? []
      const form = this.#sent[Number(at)]?.form
      if (form) form.faults.value = { ...form.faults.value, [field]: fault }
      else others[name] = fault
    }
    return others
  }

  /** Resolves once all defaults that its rows asked for are there. */
  async settle(): Promise<void> {
    await Promise.all(this.rows.value.map(({ form }) => form?.settle()))
  }

  /** The rows that were typed and are not stored. */
  planDraft(): readonly DraftRow[] {
    const metadata = this.metadata.value
    if (!metadata) return []
    return this.rows.value.filter(isDirty).map((row) => ({
      key: row.isNew ? null : keyOf(metadata, row.stored),
      isRemoved: row.isRemoved,
      values: row.form?.planDraft().values ?? {},
    }))
  }

  /** Types rows of a draft in; of one that others deleted, into a new row. @throws ServerError */
  async takeDraft(rows: readonly DraftRow[]): Promise<void> {
    // The draft of a copy has the copied rows, too.
    if (this.#isCopy) this.rows.value = this.rows.value.filter(({ isNew }) => !isNew)
    if (rows.length === 0) return
    await this.show()
    const { Keys: names = [] } = this.metadata.value ?? {}
    for (const { key, isRemoved, values } of rows) {
      const found =
        key &&
        this.rows.value.find(({ stored }) => textOfKey(names, stored) === textOfKey(names, key))
      if (key && !found) {
        if (isRemoved) continue
        notify(say('draftRowsGone'), 'info')
      }
      const row = found ?? this.add()
      const form = this.edit(row)
      form.values.value = { ...form.values.value, ...values }
      if (isRemoved && !row.isNew) this.remove(row)
    }
    this.rows.value = [...this.rows.value]
  }

  async compare(): Promise<void> {
    const keys = this.metadata.value?.Keys ?? []
    const loaded = await this.#loadRows(this.#links())
    this.#theirs = [...loaded, ...(await this.#loadBeyond(keys, loaded))]
    const typed = ({ form, stored }: DetailRow): Values => form?.values.value ?? stored
    const mine = this.rows.value.map((row) => ({ ...row, typed: typed(row) }))
    const tables = { keys, fields: this.fields.value, mine, theirs: this.#theirs }
    this.conflict.value = compareRows(tables)
  }

  /** Changed rows that are not among the loaded ones, though there: more are stored than load. */
  async #loadBeyond(keys: readonly string[], loaded: readonly Values[]): Promise<Values[]> {
    if (!this.hasMore.value) return []
    const known = new Set(loaded.map((row) => textOfKey(keys, row)))
    const found: Values[] = []
    for (const { stored, isNew } of this.rows.value.filter(isDirty)) {
      if (isNew || known.has(textOfKey(keys, stored))) continue
      const key = Object.fromEntries(keys.map((name) => [name, stored[name]])) as Values
      const row = await findRow(this.detail.View, key)
      if (row) found.push(row)
    }
    return found
  }

  settleConflict(choices: Choices): void {
    const keys = this.metadata.value?.Keys ?? []
    const conflicts = new Map(this.conflict.value?.rows.map((row) => [row.id, row]))
    const mine = new Map(this.rows.value.map((row) => [textOfKey(keys, row.stored), row]))
    const isStored = new Set(this.#theirs.map((row) => textOfKey(keys, row)))
    const stored = this.#theirs.map((now) => {
      const row = mine.get(textOfKey(keys, now))
      return row && isDirty(row) ? this.#settleRow(row, now, choices, conflicts) : rowOf(now)
    })
    const kept = this.rows.value.flatMap((row) => {
      if (row.isNew) return [row]
      if (isStored.has(textOfKey(keys, row.stored)) || !isDirty(row)) return []
      return choices[nameChoice(row.id)] === 'mine' && row.form ? [this.#addAgain(row.form)] : []
    })
    this.conflict.value = undefined
    this.#theirs = []
    this.rows.value = [...stored, ...kept]
  }

  /** A row as it is stored now, with what stays of what was typed into it. */
  #settleRow(
    { id, isRemoved, form }: DetailRow,
    now: Values,
    choices: Choices,
    conflicts: ReadonlyMap<number, RowConflict>,
  ): DetailRow {
    const conflict = conflicts.get(id)
    const row = rowOf(now)
    if (isRemoved) return { ...row, isRemoved: choices[nameChoice(id)] !== 'theirs' }
    const theirs = conflict ? listTheirsOfRow(conflict, choices) : new Set()
    const typed = Object.entries(form?.planDraft().values ?? {})
    const own = Object.fromEntries(typed.filter(([name]) => !theirs.has(name)))
    const settled = this.edit(row)
    settled.values.value = { ...settled.values.value, ...own }
    return row
  }

  /** A row that others deleted, as a new one with all that it had. */
  #addAgain({ values }: RecordForm): DetailRow {
    const row = this.#newRow()
    const links = this.detail.Parent.map(({ Field: name }) => name)
    row.form.copyValues(values.value, ({ Name }) => !links.includes(Name))
    return row
  }

  /** The rows are stored: they are loaded as they are now. @throws ServerError */
  async reload(parent: Values): Promise<void> {
    const isShown = this.metadata.value !== undefined
    this.rows.value = []
    this.follow(parent, !this.isShut.value)
    if (isShown) await this.show()
  }
}

const planForm = (form: Omit<Schemas['FormResult'], 'FormLoadTime'>): Schemas['FormResult'] => ({
  ...form,
  FormLoadTime: '',
})

const rowOf = (stored: Values): DetailRow => ({
  id: ++lastId,
  stored,
  isNew: false,
  isRemoved: false,
  form: undefined,
})

const isDirty = ({ isNew, isRemoved, form }: DetailRow): boolean =>
  isRemoved || (isNew ? form?.isTouched.value === true : (form?.changed.value.length ?? 0) > 0)

/** Plans what the server compares a row with: its changed fields, all of one that is removed. */
function planLoaded(metadata: Schemas['MetadataResult'], row: DetailRow): Values {
  const changed = row.isRemoved ? undefined : row.form?.changed.value
  const names = metadata.Fields.filter(({ ReadOnly, Hidden }) => !ReadOnly && !Hidden)
    .map(({ Name }) => Name)
    .filter((name) => name in row.stored && (changed?.includes(name) ?? true))
  const loaded = Object.fromEntries(names.map((name) => [name, row.stored[name]])) as Values
  return { ...keyOf(metadata, row.stored), ...loaded }
}

/** The key of a row with its stamp. */
function keyOf({ Keys, Fields }: Schemas['MetadataResult'], row: Values): Values {
  const stamps = Fields.filter(({ Stamp }) => Stamp).map(({ Name }) => Name)
  return Object.fromEntries(
    [...Keys, ...stamps].filter((name) => row[name] !== undefined).map((name) => [name, row[name]]),
  ) as Values
}

const NO_PERMISSIONS: Schemas['Permissions'] = {
  Create: false,
  Update: false,
  Delete: false,
  Export: false,
  Import: false,
  Capabilities: [],
  Fields: {},
}

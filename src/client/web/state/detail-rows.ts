/**
 * The rows of one detail of a record, such as the lines of an order, as they are edited: what was
 * added, changed and taken out goes with the save of its record.
 */
import { computed, signal } from '@preact/signals'
import { type Schemas, take, wire } from '../api/wire.ts'
import type { DraftRow } from './drafts.ts'
import { RecordForm, type RecordPart } from './record-form.ts'

type Field = Schemas['MetadataField']
type Values = Schemas['FieldValues']

const PAGE = 1000

/** Rows of a detail that are loaded; more say so. */
const ROWS_MAX = 5000

/** A row as it was loaded or added; `form` is there once it is edited. */
export interface DetailRow {
  id: number
  stored: Values
  isNew: boolean
  isRemoved: boolean
  form: RecordForm | undefined
}

let lastId = 0

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

  /** Loads rows by their links, with the rights on them; none without links. */
  async #loadRows(links: Values | undefined): Promise<Values[]> {
    const params = { path: { name: this.detail.View } }
    const loaded: Values[] = []
    let cursor: string | undefined
    do {
      const body: Schemas['TableRequest'] = {
        PageSize: links ? PAGE : 1,
        CountMode: 'none',
        ...(links && { Parameters: links }),
        ...(cursor !== undefined && { Cursor: cursor }),
      }
      const page = await take(wire.POST('/api/v1/svc/object/{name}/table', { params, body }))
      this.permissions.value = page.Permissions
      if (links) loaded.push(...page.Rows)
      cursor = links ? (page.Pagination.NextCursor ?? undefined) : undefined
    } while (cursor !== undefined && loaded.length < ROWS_MAX)
    this.hasMore.value = cursor !== undefined
    return loaded
  }

  /** True where the caller may add rows. */
  readonly canAdd = computed(() => this.permissions.value?.Create === true)

  /** Adds an empty row at once; its defaults come while one types. */
  add(): DetailRow {
    const metadata = this.metadata.value
    if (!metadata) throw new Error('A row was added before its detail was shown')
    const form = new RecordForm(metadata, {})
    const permissions = this.permissions.value ?? NO_PERMISSIONS
    form.begin(planForm({ Values: {}, Permissions: permissions, CanSubmit: true, IsNew: true }))
    const row: DetailRow = { ...rowOf({}), isNew: true, form }
    this.rows.value = [...this.rows.value, row]
    form.awaitValue(this.#loadDefaults(metadata.Slug).then((found) => form.takeDefaults(found)))
    return row
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
    }
  }

  /** Tells faults of the server at their rows: `Lines[2].Price`; resolves to those of no row. */
  tell(faults: Readonly<Record<string, string>>): Record<string, string> {
    const others: Record<string, string> = {}
    const pattern = new RegExp(`^${RegExp.escape(this.detail.Name)}\\[(\\d+)\\]\\.(.+)$`)
    for (const { form } of this.#sent) if (form) form.faults.value = {}
    for (const [name, fault] of Object.entries(faults)) {
      const [, at, field] = pattern.exec(name) ?? []
      const form = this.#sent[Number(at)]?.form
      if (form && field !== undefined) form.faults.value = { ...form.faults.value, [field]: fault }
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

  /** Types rows of a draft in; those that are gone are passed over. @throws ServerError */
  async takeDraft(rows: readonly DraftRow[]): Promise<void> {
    // The draft of a copy has the copied rows, too.
    if (this.#isCopy) this.rows.value = this.rows.value.filter(({ isNew }) => !isNew)
    if (rows.length === 0) return
    await this.show()
    const { Keys: names = [] } = this.metadata.value ?? {}
    for (const { key, isRemoved, values } of rows) {
      const row = key
        ? this.rows.value.find(({ stored }) => names.every((name) => stored[name] === key[name]))
        : this.add()
      if (!row) continue
      const form = this.edit(row)
      form.values.value = { ...form.values.value, ...values }
      if (isRemoved && !row.isNew) this.remove(row)
    }
    this.rows.value = [...this.rows.value]
  }

  /** The rows are stored: they are loaded as they are now. @throws ServerError */
  async reload(parent: Values): Promise<void> {
    const isShut = this.isShut.value
    const isShown = this.metadata.value !== undefined
    this.rows.value = []
    this.follow(parent, !isShut)
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

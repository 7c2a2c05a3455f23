/** One record as a form edits it: values, faults, conditions, and the one intent of its save. */
import { computed, signal } from '@preact/signals'
import { ServerError } from '../api/server-error.ts'
import { type Schemas, take, wire } from '../api/wire.ts'
import { holds } from './conditions.ts'
import type { Draft, DraftRow } from './drafts.ts'
import { Intent } from './intent.ts'
import type { Choices, RowsConflict } from './row-conflicts.ts'
import { planSent } from './sent-value.ts'

type Field = Schemas['MetadataField']
type Values = Schemas['FieldValues']

/** A conflict that the server told: another user changed the record meanwhile. */
type StaleRecord = Schemas['Conflict']

/** A part of the record that is saved with it: rows of a detail. */
export interface RecordPart {
  detail: { Name: string; Label: string }
  isChanged: { readonly value: boolean }
  /** The columns of its rows. */
  fields: { readonly value: readonly Field[] }
  /** Its faults, with the numbers of their rows from 0. */
  faults: { readonly value: readonly RowFault[] }
  /** Rows that others touched since they were loaded, once a save met a conflict. */
  conflict: { readonly value: RowsConflict | undefined }
  /** Compares what is typed with what is stored now. @throws ServerError */
  compare(): Promise<void>
  /** Goes on from the rows that `compare` found: what was typed and not given up stays. */
  settleConflict(choices: Choices): void
  /** Shows a cell once its table is drawn, and puts the focus there. */
  seek(row: number, field: string): void
  /** Takes the stored record that the part belongs to. */
  follow(values: Values, canSubmit: boolean): void
  /** The changes as a submit bears them; undefined without any. */
  planChanges(): Schemas['DetailChanges'] | undefined
  /** Tells faults at their rows; those of no row come back. */
  tell(faults: Readonly<Record<string, string>>): Record<string, string>
  /** Resolves once all defaults that were asked for are there. */
  settle(): Promise<void>
  /** The rows that were typed and are not stored. */
  planDraft(): readonly DraftRow[]
  /** Types rows of a draft in. @throws ServerError */
  takeDraft(rows: readonly DraftRow[]): Promise<void>
  /** Loads the part as it is stored now. @throws ServerError */
  reload(values: Values): Promise<void>
}

/** A fault of a detail; `field` is empty for one of the whole row. */
export interface RowFault {
  row: number
  field: string
  fault: string
}

/** A record of an object, or a new one where no key is given. */
export class RecordForm {
  readonly metadata: Schemas['MetadataResult']
  /** Fields that the form shows or could show, in the order of the view. */
  readonly fields: readonly Field[]
  readonly values = signal<Values>({})
  readonly permissions = signal<Schemas['Permissions'] | undefined>(undefined)
  readonly canSubmit = signal(false)
  readonly isNew = signal(false)
  readonly isSaving = signal(false)
  /** Faults by field; those of no field under ''. */
  readonly faults = signal<Readonly<Record<string, string>>>({})
  /** The refusal of a question that the form asked by itself. */
  readonly trouble = signal<unknown>(undefined)
  readonly conflict = signal<StaleRecord | undefined>(undefined)
  #stored: Values = {}
  #key: Values
  readonly #intent = new Intent()
  readonly #asked = new Set<Promise<void>>()

  readonly parts: readonly RecordPart[]

  constructor(metadata: Schemas['MetadataResult'], key: Values, parts: readonly RecordPart[] = []) {
    this.metadata = metadata
    this.parts = parts
    this.#key = key
    this.fields = metadata.Fields.filter(({ In, Hidden }) => In.includes('Form') && !Hidden)
  }

  /** Names of fields that differ from what is stored. */
  readonly changed = computed(() =>
    Object.keys(this.values.value).filter(
      (name) => JSON.stringify(this.values.value[name]) !== JSON.stringify(this.#stored[name]),
    ),
  )

  /** True where something was typed that is not stored, in the record or one of its parts. */
  readonly isTouched = computed(
    () => this.changed.value.length > 0 || this.parts.some(({ isChanged }) => isChanged.value),
  )

  /** Loads the record, or the defaults of a new one. @throws ServerError */
  async load(): Promise<void> {
    const params = { path: { name: this.metadata.Slug } }
    const body = { Parameters: this.#key }
    this.begin(await take(wire.POST('/api/v1/svc/object/{name}/form', { params, body })))
    for (const part of this.parts) part.follow(this.values.value, this.canSubmit.value)
  }

  /**
   * Loads what others stored meanwhile; nothing is touched where it is the same. Resolves to true
   * where it is another, but something is typed here.
   */
  async refresh(): Promise<boolean> {
    const params = { path: { name: this.metadata.Slug } }
    const body = { Parameters: this.#key }
    const found = await take(wire.POST('/api/v1/svc/object/{name}/form', { params, body }))
    if (JSON.stringify(found.Values) === JSON.stringify(this.#stored)) return false
    if (this.isTouched.peek()) return true
    this.begin(found)
    for (const part of this.parts) part.follow(this.values.value, this.canSubmit.value)
    return false
  }

  /** Begins with what the server answered for it. */
  begin(form: Schemas['FormResult']): void {
    this.#take(form.Values)
    this.permissions.value = form.Permissions
    this.canSubmit.value = form.CanSubmit
    this.isNew.value = form.IsNew
  }

  #take(values: Values): void {
    this.#stored = form(values)
    this.values.value = form(values)
    this.faults.value = {}
    this.conflict.value = undefined
    this.#intent.end()
  }

  /** Takes a value that was typed or chosen; `choice` is the row of what was chosen. */
  set(field: Field, value: unknown, choice?: Readonly<Record<string, string>>): void {
    const changes: Values = { [field.Name]: value as Values[string] }
    if (field.LabelField !== null) changes[field.LabelField] = choice?.Label ?? null
    // A lookup fills others of its row's columns, as the model has it.
    for (const { Field: name, From } of field.Lookup?.Fill ?? [])
      if (choice?.[From] !== undefined) changes[name] = choice[From]
    this.values.value = { ...this.values.value, ...changes }
    this.awaitValue(this.#askDefaults(field.Name))
    const { [field.Name]: _, ...others } = this.faults.value
    this.faults.value = others
  }

  /** Has a save wait for a value that was asked for; a refusal of it is told. */
  awaitValue(asked: Promise<void>): void {
    const told = asked
      .catch((thrown: unknown) => void (this.trouble.value = thrown))
      .finally(() => this.#asked.delete(told))
    this.#asked.add(told)
  }

  /** Resolves once all values that were asked for are there, of its parts, too. */
  async settle(): Promise<void> {
    // A value that came may have asked for defaults in its turn.
    while (this.#asked.size > 0) await Promise.all(this.#asked)
    await Promise.all(this.parts.map((part) => part.settle()))
  }

  /** Asks for defaults that depend on the field that was changed; a new record takes each. */
  async #askDefaults(name: string): Promise<void> {
    for (const field of this.fields) {
      if (!(field.Default?.DependsOn ?? []).includes(name) || this.isReadOnly(field)) continue
      const before = this.values.value[field.Name]
      if (!this.isNew.value && before != null) continue
      const body = {
        FormName: this.metadata.Slug,
        FieldName: field.Name,
        Parameters: this.values.value,
        Default: true,
      }
      const [found] = await take(wire.POST('/api/v1/svc/object/field-dataset', { body }))
      if (found && this.values.value[field.Name] === before)
        this.values.value = { ...this.values.value, [field.Name]: found.Value }
    }
  }

  /** True where the form shows the field. */
  isVisible({ Name, ReadOnly, VisibleWhen }: Field): boolean {
    // What only the server fills is empty until there is a record.
    if (ReadOnly && this.isNew.value && this.values.value[Name] == null) return false
    if (this.permissions.value?.Fields[Name] === 'Hidden') return false
    return VisibleWhen === null || holds(VisibleWhen, this.values.value)
  }

  /** True where the caller cannot change the field as the record is now. */
  isReadOnly({ Name, ReadOnly, ReadOnlyWhen }: Field): boolean {
    if (ReadOnly || !this.canSubmit.value) return true
    if (this.permissions.value?.Fields[Name] !== undefined) return true
    return holds(ReadOnlyWhen, this.values.value)
  }

  isRequired({ Required, RequiredWhen }: Field): boolean {
    return Required || holds(RequiredWhen, this.values.value)
  }

  /**
   * Saves what was changed. Resolves to the answer, or undefined where faults or a conflict are
   * told at their place.
   * @throws ServerError for what is neither
   */
  async submit(): Promise<Schemas['ObjectActionResult'] | undefined> {
    this.isSaving.value = true
    await this.settle()
    const body = this.#planBody()
    try {
      const result = await take(
        wire.POST('/api/v1/svc/object/submit', {
          params: { header: { 'Idempotency-Key': this.#intent.keyOf(body) } },
          body,
        }),
      )
      if (result.Values) this.#take({ ...this.values.value, ...result.Values })
      await this.#reloadParts()
      return result
    } catch (thrown) {
      this.#intent.end(thrown)
      if (!(thrown instanceof ServerError) || !(await this.#tell(thrown))) throw thrown
      return undefined
    } finally {
      this.isSaving.value = false
    }
  }

  /** Loads the parts that were saved as they are stored now; a refusal of it is told. */
  async #reloadParts(): Promise<void> {
    const saved = this.parts.filter(({ isChanged }) => isChanged.value)
    try {
      await Promise.all(saved.map((part) => part.reload(this.values.value)))
    } catch (thrown) {
      this.trouble.value = thrown
    }
  }

  /** Key, stamp and changed values as a submit bears them; all that can be written of a new one. */
  planValues(): Values {
    const writable = this.fields.filter((field) => !field.ReadOnly)
    const names = this.isNew.value ? writable.map(({ Name }) => Name) : this.changed.value
    const values = Object.fromEntries(
      writable
        .filter(({ Name }) => names.includes(Name))
        .map(({ Name }) => [Name, planSent(this.values.value[Name]) ?? null]),
    ) as Values
    const { RowVersion } = this.#stored
    return {
      ...this.#key,
      ...values,
      ...(RowVersion !== undefined && !this.isNew.value && { RowVersion }),
    }
  }

  #planBody(): Schemas['SubmitRequest'] {
    const changes = this.parts.flatMap((part) => {
      const planned = part.planChanges()
      return planned ? [[part.detail.Name, planned] as const] : []
    })
    const Parameters = this.planValues()
    // A key that a user gives would else name a stored record.
    const isKeyed = this.metadata.Keys.some((name) => (Parameters[name] ?? null) !== null)
    return {
      FormName: this.metadata.Slug,
      Parameters,
      ...(this.isNew.value && isKeyed && { IsNew: true }),
      ...(changes.length > 0 && { Details: Object.fromEntries(changes) }),
    }
  }

  /** Tells faults at their fields and a conflict; false where a refusal is neither. */
  async #tell({ status, refusal }: ServerError): Promise<boolean> {
    const { conflict, fieldErrors } = refusal
    if (status === 409 && conflict !== undefined) {
      const changed = this.parts.filter(({ isChanged }) => isChanged.value)
      await Promise.all(changed.map((part) => part.compare()))
      this.conflict.value = conflict as StaleRecord
      return true
    }
    if (fieldErrors === undefined) return false
    const told = Object.fromEntries(
      Object.entries(fieldErrors).map(([name, fault]) => [name, String(fault)]),
    )
    this.faults.value = this.parts.reduce((faults, part) => part.tell(faults), told)
    return true
  }

  /** The stamp of the record as it was loaded. */
  rowVersion(): string | null {
    const { RowVersion } = this.#stored
    return typeof RowVersion === 'string' ? RowVersion : null
  }

  /** The draft of all that was typed and is not stored. */
  planDraft(): Draft {
    return {
      at: new Date().toISOString(),
      rowVersion: this.rowVersion(),
      values: this.#listTyped(),
      rows: Object.fromEntries(this.parts.map((part) => [part.detail.Name, part.planDraft()])),
    }
  }

  /** Types a draft in; what is stored stays below it. @throws ServerError */
  async takeDraft({ values, rows }: Draft): Promise<void> {
    this.values.value = { ...this.values.value, ...values }
    await Promise.all(this.parts.map((part) => part.takeDraft(rows[part.detail.Name] ?? [])))
  }

  /** Types in values of another record, with their labels: those that the caller may write. */
  copyValues(source: Values, isCopied: (field: Field) => boolean): void {
    const rights = this.permissions.value?.Fields ?? {}
    const names = this.fields
      .filter((field) => isCopied(field) && rights[field.Name] === undefined)
      .flatMap(({ Name, LabelField }) => (LabelField === null ? [Name] : [Name, LabelField]))
    const copied = names.flatMap((name) => (name in source ? [[name, source[name]]] : []))
    this.values.value = { ...this.values.value, ...form(Object.fromEntries(copied) as Values) }
  }

  /** Takes defaults that come late: what was typed meanwhile stays. */
  takeDefaults(defaults: Values): void {
    this.#takeBeside(defaults, this.#listTyped())
  }

  /** The values that were typed and are not stored. */
  #listTyped(): Values {
    return Object.fromEntries(
      this.changed.value.map((name) => [name, this.values.value[name] ?? null]),
    )
  }

  #takeBeside(stored: Values, own: Values): void {
    this.#take(stored)
    this.values.value = { ...this.values.value, ...own }
  }

  /** The values as they were loaded or stored last. */
  get stored(): Values {
    return this.#stored
  }

  /**
   * Goes on from what others stored: the fields of `theirs` as they are there, all else that was
   * typed stays, in rows as in `choices`. Parts without changes are loaded again.
   */
  settleConflict(theirs: ReadonlySet<string>, choices: Choices): void {
    const { Current, RowVersion } = this.conflict.value ?? {}
    if (!Current) return
    const own = Object.entries(this.#listTyped()).filter(([name]) => !theirs.has(name))
    const stamp: Values = RowVersion == null ? {} : { RowVersion }
    this.#takeBeside({ ...this.#stored, ...Current, ...stamp }, Object.fromEntries(own))
    for (const part of this.parts)
      if (part.isChanged.value) {
        if (part.conflict.value) part.settleConflict(choices)
      } else
        part.reload(this.values.value).catch((thrown: unknown) => (this.trouble.value = thrown))
  }
}

/** Values of a form are its own: none is shared with what was loaded. */
const form = (values: Values): Values => structuredClone(values)

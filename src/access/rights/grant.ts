/** The only way to records: a value that proves that a caller passed a resource's gate. */
import { denied } from '../../kernel/failure.ts'
import type { ToldVerb, Verb } from '../../model/compiled/role.ts'
import type { Model } from '../../model/model.ts'
import type { Caller } from '../callers/caller.ts'
import {
  findAccess,
  findFileAccess,
  READING,
  type ResourceAccess,
  type RowFilters,
} from './resource-access.ts'

/** Rights of the caller, as the part of `Permissions` that is the same for every view. */
type Permissions = Record<ToldVerb, boolean> & { Capabilities: string[] }

/** Grants by caller and resource: they live as long as the caller's verified token is cached. */
const grantsOf = new WeakMap<Caller, Map<string, Grant>>()

/**
 * A grant, made by `Grant.require` alone: proof of a passed gate, whose filters shape every plan.
 */
export class Grant {
  readonly #sealed = true
  #ofFile: Grant | undefined
  readonly caller: Caller
  readonly model: Model
  readonly resource: string
  readonly access: ResourceAccess
  /** A System caller asked for the rows of all companies. */
  readonly allCompanies: boolean
  /** True when the rows leave as a file: the row filters of Export hold for reading, too. */
  readonly isFile: boolean

  private constructor(
    { caller, model, resource }: Pick<Grant, 'caller' | 'model' | 'resource'>,
    allCompanies: boolean,
    isFile = false,
  ) {
    this.caller = caller
    this.model = model
    this.resource = resource
    this.isFile = isFile
    this.access = (isFile ? findFileAccess : findAccess)(model, caller, resource)
    this.allCompanies = allCompanies && caller.isSystem
  }

  /**
   * A grant for a caller who holds any of the verbs on the resource.
   * @throws denied (401) before anything of a request but the name of its object was used.
   */
  static require(
    caller: Caller,
    model: Model,
    resource: string,
    verbs: readonly Verb[],
    options: { allCompanies?: boolean } = {},
  ): Grant {
    const grant = Grant.#find(caller, model, resource, options.allCompanies ?? false)
    if (!verbs.some((verb) => grant.access.verbs.has(verb))) throw denied()
    return grant
  }

  /** A grant for a caller who holds the verb; undefined without it. */
  static find(
    caller: Caller,
    model: Model,
    resource: string,
    verb: Verb,
    options: { allCompanies?: boolean } = {},
  ): Grant | undefined {
    const grant = new Grant({ caller, model, resource }, options.allCompanies ?? false)
    return grant.may(verb) ? grant : undefined
  }

  /** A grant for a caller who holds the capability; System holds every one. */
  static requireCapability(
    caller: Caller,
    model: Model,
    resource: string,
    capability: string,
    options: { allCompanies?: boolean } = {},
  ): Grant {
    const grant = Grant.#find(caller, model, resource, options.allCompanies ?? false)
    if (!grant.holds(capability)) throw denied()
    return grant
  }

  /** A grant for a caller who holds the capability; undefined without it. */
  static findCapability(
    caller: Caller,
    model: Model,
    resource: string,
    capability: string,
    options: { allCompanies?: boolean } = {},
  ): Grant | undefined {
    const grant = Grant.#find(caller, model, resource, options.allCompanies ?? false)
    return grant.holds(capability) ? grant : undefined
  }

  /**
   * Returns the grant of work that an action or event of the model caused: that passed the gate,
   * and the caller gains no right to anything that they did not ask for.
   */
  static ofCause(caller: Caller, model: Model, resource: string): Grant {
    return Grant.#find(caller, model, resource, false)
  }

  /** This grant, for a System caller who asks for it over the rows of all companies. */
  over(allCompanies: boolean | undefined): Grant {
    if (allCompanies !== true || !this.caller.isSystem) return this
    const all = Grant.#find(this.caller, this.model, this.resource, true)
    return this.isFile ? all.toFile() : all
  }

  /** This grant for what leaves as a file. */
  toFile(): Grant {
    if (this.isFile) return this
    return (this.#ofFile ??= new Grant(this, this.allCompanies, true))
  }

  /** The same value for the same question, until a deploy brings another model. */
  static #find(caller: Caller, model: Model, resource: string, allCompanies: boolean): Grant {
    let grants = grantsOf.get(caller)
    if (!grants) grantsOf.set(caller, (grants = new Map()))
    const key = allCompanies ? `all ${resource}` : resource
    const known = grants.get(key)
    if (known?.model === model) return known
    const grant = new Grant({ caller, model, resource }, allCompanies)
    grants.set(key, grant)
    return grant
  }

  /** True for an own value of this class only. */
  static isGrant(value: unknown): value is Grant {
    return typeof value === 'object' && value !== null && #sealed in value
  }

  /** @throws denied (401) when the verb is not held. */
  requireVerb(verb: Verb): void {
    if (!this.access.verbs.has(verb)) throw denied()
  }

  may(verb: Verb): boolean {
    return this.access.verbs.has(verb)
  }

  /** Returns true when the caller holds a verb or capability of that name. */
  holds(capability: string): boolean {
    return (
      this.caller.isSystem ||
      this.access.capabilities.has(capability) ||
      this.access.verbs.has(capability as Verb)
    )
  }

  /** True when the caller may see rows of the resource at all; some may only write. */
  get reads(): boolean {
    return this.may('List') || this.may('View')
  }

  /** Rows that the caller may see: List's filter, and View's where no role grants List. */
  readFilters(): RowFilters {
    return this.filters(this.may('List') ? 'List' : 'View')
  }

  /** Rows that a record must be among once it is saved (SQL's WITH CHECK): List's and View's. */
  checkFilters(): RowFilters[] {
    return READING.filter((verb) => this.may(verb)).map((verb) => this.filters(verb))
  }

  /** Rows that a verb or capability reaches; none for one that is not held. */
  filters(right: string): RowFilters {
    return this.holds(right) ? this.access.filters.get(right) : []
  }

  /** Returns true when the field exists for this caller. */
  sees(field: string): boolean {
    return !this.access.hidden.has(field.toLowerCase())
  }

  /** Returns the caller's rights, for results; the server checks each operation again. */
  permissions(): Permissions {
    const { verbs, capabilities } = this.access
    return {
      Create: verbs.has('Create'),
      Update: verbs.has('Update'),
      Delete: verbs.has('Delete'),
      Export: verbs.has('Export'),
      Import: verbs.has('Import'),
      Capabilities: [...capabilities].sort(),
    }
  }
}

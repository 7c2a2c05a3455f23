/** Members of a JSON value that its schema does not name, at any depth. */
import { findName, findShown } from './schema.ts'

/** A member that a schema does not name. */
export interface UnknownMember {
  readonly name: string
  /** Names and indexes from the root to the object that has it; the walk reuses the list. */
  readonly path: readonly (string | number)[]
  /** The members that the object may have. */
  readonly known: readonly string[]
}

interface UnknownMemberRules<T> {
  /** Judges a member; undefined lets it pass. */
  readonly judge: (member: UnknownMember) => T | undefined
  /** True to hold values to what `shownAs` shows, false to the keywords that are checked. */
  readonly asShown?: boolean
}

/** The keywords of a schema that lead to members. */
interface SchemaParts {
  $ref?: string
  properties?: Readonly<Record<string, SchemaParts>>
  patternProperties?: Readonly<Record<string, SchemaParts>>
  items?: SchemaParts | readonly SchemaParts[]
  anyOf?: readonly SchemaParts[]
  allOf?: readonly SchemaParts[]
}

/**
 * Judges each member that a schema does not name, in the order of the value, and returns the first
 * verdict. Of several forms (`anyOf`) an object has the last one with a member that it has, else
 * the first; parts that the schema leaves open are not looked into.
 */
export const findUnknownMember = <T extends object>(
  schema: object,
  value: unknown,
  rules: UnknownMemberRules<T>,
): T | undefined => new Walk(rules).visit(schema, value)

/** The forms that a schema leaves a choice of. */
interface Forms {
  items: SchemaParts['items']
  /** Objects of known members. */
  closed: readonly ClosedForm[]
  /** The schema of the members of a map. */
  rest: SchemaParts | undefined
}

interface ClosedForm {
  properties: Readonly<Record<string, SchemaParts>>
  names: readonly string[]
}

type JsonObject = Readonly<Record<string, unknown>>

class Walk<T extends object> {
  readonly #rules: UnknownMemberRules<T>
  readonly #path: (string | number)[] = []
  /** Schemas by the names that references have for them: those around the present one. */
  readonly #named = new Map<string, SchemaParts>()
  /** The forms of schemas that were met: a list has the same for each of its items. */
  readonly #forms = new Map<SchemaParts, Forms>()

  constructor(rules: UnknownMemberRules<T>) {
    this.#rules = rules
  }

  visit(schema: SchemaParts, value: unknown): T | undefined {
    if (typeof value !== 'object' || value === null) return undefined
    const forms = this.#findForms(schema)
    if (Array.isArray(value)) return this.#visitItems(forms, value)
    return this.#visitMembers(forms, value as JsonObject)
  }

  #findForms(schema: SchemaParts): Forms {
    return this.#forms.getOrInsertComputed(schema, () => {
      const forms = this.#listForms(schema)
      const closed = forms.flatMap(({ properties }) =>
        properties ? [{ properties, names: Object.keys(properties) }] : [],
      )
      const open = forms.find((form) => form.patternProperties)
      return {
        items: forms.find((form) => form.items !== undefined)?.items,
        closed,
        rest: Object.values(open?.patternProperties ?? {})[0],
      }
    })
  }

  /** The schema itself, or the forms that it leaves a choice of, those of inner choices too. */
  #listForms(schema: SchemaParts): SchemaParts[] {
    const name = findName(schema)
    if (name !== undefined) this.#named.set(name, schema)
    const read: SchemaParts = this.#rules.asShown ? { ...schema, ...findShown(schema) } : schema
    const target = read.$ref === undefined ? undefined : this.#named.get(read.$ref)
    if (target) return this.#listForms(target)
    if (read.anyOf) return read.anyOf.flatMap((form) => this.#listForms(form))
    if (!read.allOf) return [read]
    const parts = read.allOf.flatMap((part) => this.#listForms(part))
    const properties = parts.map((part) => part.properties ?? {})
    return [{ properties: Object.assign({}, ...properties) as Record<string, SchemaParts> }]
  }

  #visitItems({ items: of }: Forms, items: readonly unknown[]): T | undefined {
    if (!isSchema(of)) return undefined
    for (const [at, item] of items.entries()) {
      const verdict = this.#step(at, of, item)
      if (verdict) return verdict
    }
    return undefined
  }

  #visitMembers({ closed, rest }: Forms, value: JsonObject): T | undefined {
    const form =
      closed.length > 1 ? closed.findLast(({ names }) => sharesMember(names, value)) : undefined
    const { properties, names: known = [] } = form ?? closed[0] ?? {}
    if (!properties && !rest) return undefined
    for (const name of Object.keys(value)) {
      const part = properties && Object.hasOwn(properties, name) ? properties[name] : rest
      const verdict = part
        ? this.#step(name, part, value[name])
        : this.#rules.judge({ name, path: this.#path, known })
      if (verdict) return verdict
    }
    return undefined
  }

  #step(at: string | number, schema: SchemaParts, value: unknown): T | undefined {
    this.#path.push(at)
    const verdict = this.visit(schema, value)
    this.#path.pop()
    return verdict
  }
}

const sharesMember = (names: readonly string[], value: JsonObject): boolean =>
  names.some((name) => Object.hasOwn(value, name))

const isSchema = (items: SchemaParts['items']): items is SchemaParts =>
  items !== undefined && !Array.isArray(items)

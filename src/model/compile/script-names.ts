/**
 * Names of scripts, slugs and resources: each is unique where it is used; a clash names both files.
 */
import { placeOf, readText } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { describePlace } from './fault-list.ts'
import { slugOf } from './view.ts'
import type { Script } from '../compiled/script.ts'
import type { Place } from '../parse/element.ts'

/**
 * The catalog's five types, whose names are unique across them (src/server/README.md, Model
 * catalog).
 */
const CATALOG_TYPES = new Set(['Entity', 'ObjectView', 'Navbar', 'StoredProcedure', 'Rbac'])

/** Static segments of the object endpoints, which a view's slug or name would hide behind. */
const RESERVED_SLUGS: readonly string[] = [
  'submit',
  'delete-row',
  'execute-row-action',
  'export-data',
  'export-file',
  'import-data',
  'field-dataset',
  'sequence-number',
  'upload',
  'label',
  'list',
]

/** Code-defined reports that are built in, which a print of this name would hide. */
const RESERVED_REPORTS: readonly string[] = ['record', 'list', 'page']

/** Reports every clash, and collects the reports. */
export function checkScriptNames(c: Compilation): void {
  const catalog = c.scripts.filter((script) => CATALOG_TYPES.has(script.type))
  const reported = new Set<string>()
  const checkUnique = (
    scripts: readonly Script[],
    keysOf: (script: Script) => string[],
    what: string,
  ) => reportClashes(c, { scripts, keysOf, what, reported })
  checkUnique(catalog, (script) => [script.name], 'The name')
  const views = c.scriptsOf('ObjectView')
  checkUnique(views, (script) => [script.name, slugOf(script)], 'The name or slug')
  checkReserved(c, views, RESERVED_SLUGS)
  const reports = c.scriptsOf('Report')
  const workflows = c.scriptsOf('Workflow')
  checkUnique(workflows, (script) => [script.name, slugOf(script)], 'The name or slug')
  checkUnique([...views, ...reports], defaultResource, 'The resource')
  const prints = c.scriptsOf('Print')
  checkUnique(
    [...reports, ...prints],
    (script) => [script.name, slugOf(script)],
    'The name or slug',
  )
  checkReserved(c, prints, RESERVED_REPORTS)
  noteKeys(reports, c.reportByKey)
  noteKeys(prints, c.printByKey)
}

function noteKeys(scripts: readonly Script[], byKey: Map<string, Script>): void {
  for (const script of scripts) {
    byKey.set(script.name.toLowerCase(), script)
    byKey.set(slugOf(script), script)
  }
}

/** Lists the resource of a script without Resource; one that is set explicitly may be shared. */
function defaultResource(script: Script): string[] {
  return readText(script.element, 'Resource') === undefined ? [script.name] : []
}

/** Scripts of one realm of names; what was reported of a key in another is not reported again. */
interface Realm {
  scripts: readonly Script[]
  keysOf: (script: Script) => string[]
  what: string
  reported: Set<string>
}

function reportClashes(c: Compilation, { scripts, keysOf, what, reported }: Realm): void {
  const holders = new Map<string, Script>()
  for (const script of scripts) {
    for (const key of new Set(keysOf(script).map((each) => each.toLowerCase()))) {
      const other = holders.get(key)
      if (!other) holders.set(key, script)
      else {
        const place = placeOfKey(script, key)
        const clash = `${describePlace(place)} ${key} ${describePlace(other.element.place)}`
        if (reported.has(clash)) continue
        reported.add(clash)
        const where = `${other.type} ${other.name} (${describePlace(other.element.place)})`
        const message = `${what} ${key} of this ${script.type} is also that of the ${where}`
        c.faults.add(place, message + adviseNames(script, other))
      }
    }
  }
}

/** A first model often gives a view the name of its entity. */
function adviseNames(one: Script, other: Script): string {
  const types = new Set([one.type, other.type])
  const isPair = types.has('Entity') && types.has('ObjectView')
  return isPair ? '; name the entity for one record (Customer), its view for many (Customers)' : ''
}

/** The attribute that gives a script this name or slug. */
function placeOfKey({ name, element }: Script, key: string): Place {
  const isSlug = name.toLowerCase() !== key && readText(element, 'Slug') !== undefined
  return placeOf(element, isSlug ? 'Slug' : 'Name')
}

function checkReserved(
  c: Compilation,
  scripts: readonly Script[],
  reserved: readonly string[],
): void {
  for (const script of scripts) {
    for (const key of new Set([script.name.toLowerCase(), slugOf(script)])) {
      if (!reserved.includes(key)) continue
      const what = script.type === 'Print' ? 'print' : 'view'
      const message = `${key} is a reserved address: give the ${what} another Name or Slug`
      c.faults.add(placeOfKey(script, key), message)
    }
  }
}

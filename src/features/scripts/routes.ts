/** The model catalog: `/api/v1/svc/object/list` and `/api/v1/svc/scripts`. */
import { Type } from '@sinclair/typebox'
import { invalid, notFound } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import { SCRIPT_TYPES, type ScriptType } from '../../model/compiled/script.ts'
import { DeployResult } from '../../model/deploy/schema.ts'
import {
  findExecution,
  loadExecutions,
  type ScriptExecution,
} from '../../model/deploy/script-executions.ts'
import type { RequestCall } from '../../server/call.ts'
import type { Feature } from '../../server/feature.ts'
import { rolesGate } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { JSON_OR_MULTIPART } from '../../server/route-table.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { deployFiles } from './deploy.ts'
import { GERMAN } from './german.ts'
import {
  DeployRefusal,
  DeployRequest,
  ObjectDescriptor,
  ScriptBody,
  ScriptEntry,
  ScriptsQuery,
} from './schema.ts'

const SYSTEM = rolesGate('System')

const LIST_OBJECTS = {
  response: Envelope(Type.Array(ObjectDescriptor)),
  detail: {
    'x-gate': SYSTEM,
    operationId: 'listDeployedObjects',
    summary: 'Every deployed object',
    description: 'Equal hashes mean equal bodies. Gate: System.',
  },
}

const LIST_SCRIPTS = {
  query: ScriptsQuery,
  response: Envelope(Type.Array(ScriptEntry)),
  detail: {
    'x-gate': SYSTEM,
    operationId: 'listScripts',
    summary: 'Executed scripts, the latest of each name',
    description: 'Gate: System.',
  },
}

const GET_SCRIPT = {
  params: Type.Object({
    name: Type.String({ description: 'Its Name or its FileName', examples: ['orders'] }),
  }),
  query: ScriptsQuery,
  response: Envelope(ScriptBody),
  detail: {
    'x-gate': SYSTEM,
    operationId: 'getScript',
    summary: 'The latest execution of a script with its verbatim body',
    description:
      'A name goes before a file name. Of several scripts it is the first by type: ObjectView, ' +
      'Entity, Navbar, StoredProcedure, Rbac, others; `type` tells them apart. The body of a ' +
      'script in a Model file is its own text in that file. Gate: System.',
  },
}

const DEPLOY = {
  body: DeployRequest,
  response: Envelope(DeployResult),
  detail: {
    'x-refusals': { 400: DeployRefusal },
    ...JSON_OR_MULTIPART,
    'x-gate': SYSTEM,
    'x-example': {
      Files: [
        {
          FileName: 'notes.xml',
          Body:
            '<Entity Name="Note" Table="notes" Company="CompanyId">' +
            '<Column Name="Id" Type="Integer" Key="true" Identity="true"/>' +
            '<Column Name="CompanyId" Type="Integer" Required="true"/>' +
            '<Column Name="Text" Type="Text" Required="true"/></Entity>',
        },
      ],
      DryRun: true,
    },
    operationId: 'deployModel',
    summary: 'Deploy model files',
    description:
      'All files or none, in one transaction; the new model serves from the next request on. ' +
      'Also as multipart/form-data: `files`, each under its path below the folder of the model, ' +
      'and the flags as fields. Answers the plan as ' +
      '`appengine deploy --json` prints it. Faults are a 400 (MODEL_FAULTS) whose `faults` name ' +
      'File, Line, Column and Message; what would be lost without AllowDataLoss is a 400 ' +
      '(DATA_LOSS) whose `losses` tell it; both carry the `plan`. 409 when another deploy came ' +
      'between. `Rollback` rolls the last deploy back instead, in the same way: scripts, tables ' +
      'and names are those of before it, and `Losses` are values entered since in what it added. ' +
      '409 (NO_ROLLBACK) where that deploy lost data or there is none before it. ' +
      'Not while acting as another user. Gate: System.',
  },
}

const AREA = {
  name: 'Model catalog',
  description: 'The scripts of the deployed model, verbatim, and the deploy of others.',
}

const CATALOG: RouteGroup = {
  prefix: '/api/v1/svc',
  area: AREA.name,
  routes: [
    route('GET', '/object/list', LIST_OBJECTS, (call) => ok(listObjects(call))),
    route('GET', '/scripts', LIST_SCRIPTS, async ({ app, query }) => {
      const types = query.type === undefined ? LISTED : [requireType(query.type)]
      return ok((await loadExecutions(app.store, types)).map(toEntry))
    }),
    route('GET', '/scripts/:name', GET_SCRIPT, async ({ app, params, query }) => {
      const types = query.type === undefined ? undefined : [requireType(query.type)]
      const found = await findExecution(app.store, params.name, types)
      if (!found) throw notFound(say`There is no such script`, { code: 'SCRIPT_NOT_FOUND' })
      return ok({ ...toEntry(found), Body: found.body })
    }),
    route('POST', '/scripts', DEPLOY, async (call) => ok(await deployFiles(call, call.body))),
  ],
}

/** The types of the catalog (src/server/README.md, Model catalog). */
const LISTED: readonly ScriptType[] = ['ObjectView', 'Entity', 'Navbar', 'StoredProcedure', 'Rbac']

function requireType(word: string): ScriptType {
  const type = SCRIPT_TYPES.find((each) => each.toLowerCase() === word.toLowerCase())
  if (type) return type
  throw invalid(say`type must be one of: ${SCRIPT_TYPES.join(', ')}`, { code: 'UNKNOWN_TYPE' })
}

const listObjects = ({ model, language }: RequestCall) =>
  [...model.views.values()]
    .map(({ name, slug, label, viewType, versionHash }) => ({
      Name: name,
      Slug: slug,
      Label: renderMessage(label, language),
      ViewType: viewType,
      VersionHash: versionHash,
    }))
    .sort((a, b) => (a.Name < b.Name ? -1 : 1))

const toEntry = (script: ScriptExecution): ScriptEntry => ({
  Type: script.type,
  Name: script.name,
  FileName: script.fileName,
  VersionHash: script.versionHash,
  ExecutedAt: script.executedAt,
  Origin: script.source,
  ExecutedBy: script.executedBy
    ? { Id: script.executedBy.id, UserName: script.executedBy.userName }
    : null,
  IsCurrent: script.isCurrent,
})

/** See `Feature`. */
export const scriptsFeature: Feature = {
  areas: [AREA],
  routes: [CATALOG],
  translations: { de: GERMAN },
}

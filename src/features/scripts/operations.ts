/** The operations of the model catalog as the OpenAPI document tells them. */
import { Type } from '@sinclair/typebox'
import { rolesGate } from '../../server/gate.ts'
import { JSON_OR_MULTIPART } from '../../server/route-table.ts'
import { Envelope } from '../../server/schema.ts'
import {
  DeployRequest,
  DeployResult,
  ObjectList,
  ScriptBody,
  ScriptEntry,
  ScriptsQuery,
} from './schema.ts'

const SYSTEM = rolesGate('System')

export const LIST_OBJECTS = {
  response: Envelope(ObjectList),
  detail: {
    'x-gate': SYSTEM,
    operationId: 'listDeployedObjects',
    summary: 'Every deployed object',
    description: 'Equal hashes mean equal bodies. Gate: System.',
  },
}

export const LIST_SCRIPTS = {
  query: ScriptsQuery,
  response: Envelope(Type.Array(ScriptEntry)),
  detail: {
    'x-gate': SYSTEM,
    operationId: 'listScripts',
    summary: 'Executed scripts, the latest of each name',
    description: 'Gate: System.',
  },
}

export const GET_SCRIPT = {
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

export const DEPLOY = {
  body: DeployRequest,
  response: Envelope(DeployResult),
  detail: {
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
      'between. Not while acting as somebody else. Gate: System.',
  },
}

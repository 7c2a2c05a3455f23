/** An application whose patients are read by every path there is, and every reading is logged. */
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

const MODEL = `<Model>
<Entity Name="Patient" Table="patients" Display="Name" Company="CompanyId" Audit="Reads">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Ward" Type="Text"/>
  <Column Name="Scan" Type="File"/>
</Entity>
<Entity Name="Badge" Table="badges" Display="Holder" Audit="Reads">
  <Column Name="Code" Type="Text" Key="true"/>
  <Column Name="Holder" Type="Text" Required="true"/>
</Entity>
<Entity Name="Visit" Table="visits" Company="CompanyId" Audit="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="PatientId" References="Patient"/>
  <Column Name="Day" Type="Date"/>
</Entity>
<Entity Name="Card" Table="cards" Concurrency="Enabled" Audit="Reads">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Note" Type="Text"/>
  <Column Name="Secret" Type="Text"/>
</Entity>
<Entity Name="Room" Table="rooms" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
</Entity>
<ObjectView Name="Patients" Entity="Patient">
  <Field Name="Name" Searchable="true"/>
  <Search Title="Name"/>
</ObjectView>
<ObjectView Name="Badges" Entity="Badge"/>
<ObjectView Name="Visits" Entity="Visit"/>
<ObjectView Name="Rooms" Entity="Room"/>
<ObjectView Name="Cards" Entity="Card"/>
<ObjectView Name="Names" Entity="Patient">
  <TableQuery>SELECT p.Id, p.Name, v.Day FROM patients p LEFT JOIN visits v ON v.PatientId = p.Id</TableQuery>
</ObjectView>
<ObjectView Name="Days" Entity="Visit">
  <TableQuery>SELECT v.*, p.Ward FROM visits v, patients p WHERE p.Id = v.PatientId -- one row a visit</TableQuery>
</ObjectView>
<StoredProcedure Name="Census" Mode="Read">
  <Parameter Name="Ward" Type="Text"/>
  <Sql Result="Patients">SELECT Name FROM patients WHERE Ward = @Ward</Sql>
</StoredProcedure>
<StoredProcedure Name="Move" Mode="Write">
  <Sql Result="Moved">UPDATE patients SET Ward = 'B' WHERE Id = 2 RETURNING Name</Sql>
</StoredProcedure>
<StoredProcedure Name="Open" Mode="Read"><Sql Result="Rooms">SELECT Name AS patients FROM rooms -- not of patients</Sql></StoredProcedure>
<Report Name="Wards">
  <Filters><Filter Name="Ward" Type="Text"/></Filters>
  <DataSets><DataSet Name="Wards"><Sql>SELECT Ward, count(*) AS N FROM patients WHERE @Ward IS NULL OR Ward = @Ward GROUP BY Ward</Sql></DataSet></DataSets>
  <Widgets><Widget Name="Wards" Kind="Table" DataSet="Wards"/></Widgets>
</Report>
<Print Name="Card" View="Patients" Title="{Name}"><Fields Names="Name Ward"/></Print>
<Rbac>
  <Role Name="Nurse">
    <Grant Resource="Patients" Verbs="View List Create Update Delete Export"/>
    <Grant Resource="Names" Verbs="View List"/>
    <Grant Resource="Badges" Verbs="View List"/>
    <Grant Resource="Cards" Verbs="View List Update"/>
    <Grant Resource="Visits" Verbs="View List Create Update"/>
    <Grant Resource="Days" Verbs="View List"/>
    <Grant Resource="Rooms" Verbs="View List"/>
    <Grant Resource="Wards" Verbs="List Export"/>
    <Grant Resource="Census" Capabilities="Execute"/>
    <Grant Resource="Move" Capabilities="Execute"/>
    <Grant Resource="Open" Capabilities="Execute"/>
  </Role>
</Rbac>
</Model>`

/** Four patients in two wards; patient 4 has no visit. */
export const CLINIC: TestApplication = {
  files: [{ name: 'model.xml', body: MODEL }],
  ...makePeople('ONE TWO', { nurse: 'Nurse', bo: 'Nurse', sys: 'System' }),
}

export const CLINIC_ROWS = [
  `INSERT INTO patients (Id, CompanyId, Name, Ward) VALUES
    (1, 1, 'Ada North', 'A'), (2, 1, 'Bo South', 'A'), (3, 1, 'Cy West', 'B'), (4, 1, 'Di East', 'B')`,
  `INSERT INTO visits (Id, CompanyId, PatientId, Day) VALUES
    (1, 1, 1, '2026-01-01'), (2, 1, 2, '2026-01-02'), (3, 1, 2, '2026-01-03'), (4, 1, NULL, '2026-01-04')`,
  `INSERT INTO badges (Code, Holder) VALUES ('b-1', 'Ada'), ('b-2', 'Bo')`,
  `INSERT INTO cards (Note, Secret) VALUES ('old', 'kept')`,
  `INSERT INTO rooms (Name) VALUES ('One')`,
]

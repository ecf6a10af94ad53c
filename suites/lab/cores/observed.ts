export async function observedCompetitor(primitive: string, name: string): Promise<unknown> {
  throw new Error(`${primitive}/${name} has no form whose accesses are observed`);
}

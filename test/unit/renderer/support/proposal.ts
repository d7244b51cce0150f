import type { RuleProposal } from '../../../../src/shared/contract/standing-rules.ts';
import { anApproval } from './approval.ts';

const { asset } = anApproval().money;
const unit = `${asset.network}/erc20:${asset.address}`;

/** A proposal as main makes it. */
export const aProposal = (kind: RuleProposal['kind'] = 'allow-tool', changes: Partial<RuleProposal> = {}): RuleProposal => ({
  id: 'proposal-1',
  kind,
  ...(kind === 'block-server'
    ? { rule: { when: { upstream: 'demo' }, verdict: 'deny', note: 'blocked' }, ruleText: 'Rule: deny server demo (blocked)', ends: 2 }
    : {
        rule: { when: { upstream: 'demo', tool: 'weather_report', payee: anApproval().payee, client: 'Claude Desktop', asset: unit, amount: { atMost: '0.01', unit } }, verdict: 'allow', note: 'up to 0.50 USDC a day' },
        ruleText: 'Rule: allow server demo, tool weather_report (up to 0.50 USDC a day)',
        ends: 0,
        cap: {
          cap: { over: { upstream: 'demo', tool: 'weather_report' }, window: 'day', unit, amount: '0.50' },
          label: 'per day, server demo, tool weather_report',
          asset,
          limitUnits: '500000',
          usedUnits: '10000',
          limitUsdUnits: '500000',
          replacesUnits: '2000000',
        },
      }),
  place: 1,
  rules: 3,
  answerableAt: 0,
  ...changes,
});

// A component that is only rendered again if one of its props has changed.

import {Component, type ComponentChildren, type FunctionComponent, type VNode} from 'preact';

export function memo<P extends object>(Inner: FunctionComponent<P>): new (props: P) => Component<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P & {children?: ComponentChildren}>): boolean {
      const old = this.props as Record<string, unknown>, now = next as Record<string, unknown>;
      const keys = Object.keys(now);
      return keys.length !== Object.keys(old).length || keys.some((key) => old[key] !== now[key]);
    }
    render(): VNode {
      return <Inner {...this.props as P} />;
    }
  };
}

"""The secrecy crawl: random play, every route and every error, searched for what the asking seat must not know."""
